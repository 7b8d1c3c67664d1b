import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAmount } from '../../../../protocol/amount.ts'
import { CHAINS } from '../../../../protocol/chains.ts'
import { paymentUri } from '../../../../worker/features/payments/payment-uri.ts'

interface PaymentLink {
  scheme: string
  address: string
  parameters: [name: string, value: string][]
}

const QCHAR = /^(?:[A-Za-z0-9\-._~!$'()*+,;:@/?]|%[0-9A-Fa-f]{2})*$/
/** Keys of which a link has one at most; `req-pop` is `pop`. */
const SINGLE = ['label', 'message', 'amount', 'pop']
const KNOWN = [...SINGLE, 'lightning', 'lno', 'pay', 'sp', 'bc', 'tb']

/** A link as BIP 321 has it read; `undefined` for one that a wallet must refuse. */
function readBip321(link: string): PaymentLink | undefined {
  const [, scheme = '', body = '', query] = /^([a-z]+):([A-Za-z0-9]*)(?:\?(.*))?$/i.exec(link) ?? []
  if (scheme === '') return undefined
  const parameters = (query ?? '')
    .split('&')
    .filter((part) => part !== '')
    .map((part): [string, string] => {
      const at = part.indexOf('=')
      return at < 0 ? [part.toLowerCase(), ''] : [part.slice(0, at).toLowerCase(), part.slice(at + 1)]
    })
  const names = parameters.map(([name]) => name.replace(/^req-(?=pop$)/, ''))
  const fails =
    parameters.some(([name, value]) => !QCHAR.test(name) || !QCHAR.test(value)) ||
    names.some((name) => name.startsWith('req-') && !KNOWN.includes(name.slice(4))) ||
    SINGLE.some((name) => names.filter((one) => one === name).length > 1) ||
    parameters.some(([name, value]) => name === 'amount' && !/^\d+(?:\.\d+)?$/.test(value)) ||
    parameters.some(
      ([name, value]) => (name === 'bc' || name === 'tb') && !value.toLowerCase().startsWith(`${name}1`),
    ) ||
    (body === '' && parameters.length === 0)
  return fails ? undefined : { scheme: scheme.toLowerCase(), address: body, parameters }
}

const ADDRESS = '175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W'

describe('the vectors of BIP 321', () => {
  for (const link of [
    `bitcoin:${ADDRESS}`,
    `bitcoin:${ADDRESS}?label=Luke-Jr`,
    `bitcoin:${ADDRESS}?amount=20.3&label=Luke-Jr`,
    `bitcoin:${ADDRESS}?amount=50&label=Luke-Jr&message=Donation%20for%20project%20xyz`,
    `bitcoin:${ADDRESS}?lightning=lnbc420bogusinvoice`,
    'bitcoin:?lightning=lnbc420bogusinvoice',
    'bitcoin:?lno=lno1bogusoffer&sp=sp1qsilentpayment',
    `bitcoin:${ADDRESS}?sp=sp1qsilentpayment`,
    `bitcoin:${ADDRESS}?somethingyoudontunderstand=50&somethingelseyoudontget=999`,
    'bitcoin:?bc=bc1qufgy354j3kmvuch987xe4s40836x3h0lg8f5n2&bc=bc1p5swkugezn97763tl0yty6556856uug0q6jflljvep9m4p7339x5qzyrh4g',
    'BITCOIN:BC1QUFGY354J3KMVUCH987XE4S40836X3H0LG8F5N2?BC=BC1P5SWKUGEZN97763TL0YTY6556856UUG0Q6JFLLJVEP9M4P7339X5QZYRH4G',
    'bitcoin:?tb=tb1qghfhmd4zh7ncpmxl3qzhmq566jk8ckq4gafnmg',
  ]) {
    it(`are read: ${link}`, () => {
      expect(readBip321(link)).toMatchObject({ scheme: 'bitcoin' })
    })
  }

  for (const link of [
    `bitcoin:${ADDRESS}?req-somethingyoudontunderstand=50&req-somethingelseyoudontget=999`,
    `bitcoin:${ADDRESS}?label=Luke-Jr&label=Matt`,
    `bitcoin:${ADDRESS}?amount=42&amount=10`,
    `bitcoin:${ADDRESS}?amount=42&amount=42`,
    `bitcoin:${ADDRESS}?amount=50,000.00`,
    `bitcoin:${ADDRESS}?pop=callback%3a&req-pop=callback%3a`,
    'bitcoin:?bc=tb1qghfhmd4zh7ncpmxl3qzhmq566jk8ckq4gafnmg',
  ]) {
    it(`are refused: ${link}`, () => {
      expect(readBip321(link)).toBeUndefined()
    })
  }
})

describe('the link of a payment request', () => {
  const address = fc.constantFrom(
    ADDRESS,
    'bc1qufgy354j3kmvuch987xe4s40836x3h0lg8f5n2',
    'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
  )
  const chain = fc.constantFrom('Nativecoin', 'Dogecoin', 'Bitcoin')
  it('is one that BIP 321 reads, with the address in its body and the exact amount in coins', () => {
    fc.assert(
      fc.property(chain, address, fc.bigInt({ min: 1n, max: 10n ** 19n }), (blockchain, to, left) => {
        expect(readBip321(paymentUri(blockchain, to, left))).toEqual({
          scheme: CHAINS[blockchain].uriScheme,
          address: to,
          parameters: [['amount', formatAmount(left)]],
        })
      }),
    )
  })

  it('names no amount once nothing is left', () => {
    expect(readBip321(paymentUri('Bitcoin', ADDRESS, 0n))?.parameters).toEqual([])
    expect(readBip321(paymentUri('Bitcoin', ADDRESS, -1n))?.parameters).toEqual([])
    expect(readBip321(paymentUri('Bitcoin', ADDRESS, 1n))?.parameters).toEqual([['amount', '0.00000001']])
  })
})
