import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSiteAddress } from '../../../../../protocol/site-address.ts'
import {
  IMITATED_NAMES,
  IMITATED_WORDS,
  RESERVED_NAMES,
} from '../../../../../worker/features/sites/addresses/address-names.ts'
import { refuseAddressName } from '../../../../../worker/features/sites/addresses/refuse-address-name.ts'
import { AppError } from '../../../../../worker/platform/http/errors.ts'

const CONFIG = {
  baseUrl: new URL('https://api.hooklet.example'),
  storageHost: 'stored-here.example:8787',
  reservedNames: ['shop', 'our-press'],
}

function refusal(address: string): string | undefined {
  try {
    refuseAddressName(address, CONFIG)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

describe('the form of an address', () => {
  it.each(['almanac', 'a-b', 'x11', 'my-site-2026', `a${'b'.repeat(38)}z`, 'cafe-au-lait'])(
    'is that of %s',
    (label) => {
      expect(isSiteAddress(label)).toBe(true)
    },
  )

  it.each([
    ['is too short', 'ab'],
    ['is too long', `a${'b'.repeat(39)}z`],
    ['begins with a digit', '1st'],
    ['begins with a hyphen', '-ab'],
    ['ends with a hyphen', 'ab-'],
    ['has two hyphens together', 'ab--c'],
    ['is an encoded name', 'xn--bcher-kva'],
    ['is hex digits alone', 'deadbeef'],
    ['is the id of an item', 'a5f0a1b2c3d4e5f601020304'],
    ['has capitals', 'Almanac'],
    ['has letters of other scripts', 'almanäc'],
    ['has a dot', 'a.b.c'],
    ['ends with a line break', 'almanac\n'],
  ])('is not that of a label that %s', (_, label) => {
    expect(isSiteAddress(label)).toBe(false)
  })
})

describe('the name of an address', () => {
  it.each(['www', 'api', 'mail', 'admin', 'ipfs', 'ipns', 'bitcoin', 'dogecoin', 'nativecoin', 'shop', 'hooklet'])(
    'is refused where it is reserved: %s',
    (address) => {
      expect(refusal(address)).toBe('address_reserved')
    },
  )

  it.each([
    'ad-min',
    'bitc0in',
    'w-w-w',
    'paypal',
    'pay-pal',
    'paypa1',
    'paypal-login',
    'my-paypa1',
    'rnicrosoft',
    'apple',
    'app1e',
    'ourpress',
    'h00klet',
    'hooklet-support',
    'api-hooklet-example',
    'stored-here-example',
  ])('S9: is refused where people may take it for another: %s', (address) => {
    expect(refusal(address)).toBe('address_misleading')
  })

  it.each(['almanac', 'apple-pie', 'api-guide', 'bitcoin-museum', 'mailbox-painting', 'amazonas', 'shopping', 'ada'])(
    'is taken where it is a usual one: %s',
    (address) => {
      expect(refusal(address)).toBeUndefined()
    },
  )

  it('is refused also where a hyphen or a digit is put into any of the names', () => {
    const names = [...RESERVED_NAMES, ...IMITATED_NAMES, ...IMITATED_WORDS]
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, place) => {
        const at = place % (name.length + 1)
        expect(refusal(`${name.slice(0, at)}-${name.slice(at)}`)).toBeDefined()
        expect(refusal(name.replaceAll('o', '0').replaceAll('l', '1'))).toBeDefined()
      }),
    )
  })

  it('is on each list once, in the form of a label', () => {
    const names = [...RESERVED_NAMES, ...IMITATED_NAMES, ...IMITATED_WORDS]
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
    expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))).toEqual([])
  })
})
