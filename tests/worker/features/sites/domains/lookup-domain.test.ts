import { describe, expect, it } from 'vitest'
import { lookupRecords } from '../../../../../worker/features/sites/domains/lookup-domain.ts'
import { isDomainName, itemOfTarget } from '../../../../../worker/features/sites/domains/match-domain.ts'
import { cacheSeconds, DnsUnavailableError } from '../../../../../worker/platform/dns/query-dns.ts'
import { DOH_URL, scriptedResolver, type Zone } from '../../../scripted-resolver.ts'

const ITEM = '65f0a1b2c3d4e5f601020304'
const OTHER = '65f0a1b2c3d4e5f601020305'
const SITE = '65f0a1b2c3d4e5f601020306'
const CONFIG = {
  dohUrl: DOH_URL,
  storageHost: 'storage.example:8787',
  siteOf: async (address: string) => (address === 'almanac' ? SITE : undefined),
}
const TARGET = `${ITEM}.storage.example`

function resolver(zone: Zone) {
  const { asked, fetch } = scriptedResolver(zone)
  return { asked, lookup: async (host: string) => (await lookupRecords(host, CONFIG, fetch)).answer }
}

describe('the item a host shows', () => {
  it('is the one its CNAME names, for as long as the record lives', async () => {
    const { lookup } = resolver({ 'www.shop.example': [['CNAME', `${TARGET.toUpperCase()}.`, 77]] })
    expect(await lookup('www.shop.example')).toEqual({ found: true, by: 'CNAME', item: ITEM, ttl: 77 })
  })

  it('is the site whose readable address its CNAME names', async () => {
    const { lookup } = resolver({
      'www.shop.example': [['CNAME', 'Almanac.storage.example.', 77]],
      'shop.example': [['CNAME', 'calendar.storage.example', 77]],
    })
    expect(await lookup('www.shop.example')).toEqual({ found: true, by: 'CNAME', item: SITE, ttl: 77 })
    expect(await lookup('shop.example')).toEqual({ found: false })
  })

  it('is found at the end of a chain, with the shortest time to live on it', async () => {
    const { lookup } = resolver({
      'www.shop.example': [['CNAME', 'alias.shop.example', 900]],
      'alias.shop.example': [['CNAME', 'pages.agency.example', 40]],
      'pages.agency.example': [['CNAME', TARGET, 600]],
    })
    expect(await lookup('www.shop.example')).toEqual({ found: true, by: 'CNAME', item: ITEM, ttl: 40 })
  })

  it('is the one an apex names in its TXT record', async () => {
    const { lookup } = resolver({
      '_hookline.shop.example': [
        ['TXT', '"v=spf1"'],
        ['TXT', `"item=${ITEM}"`, 60],
      ],
    })
    expect(await lookup('shop.example')).toEqual({ found: true, by: 'TXT', item: ITEM, ttl: 60 })
  })

  it('is the CNAME where both are there', async () => {
    const { lookup } = resolver({
      'shop.example': [['CNAME', TARGET]],
      '_hookline.shop.example': [['TXT', `item=${OTHER}`]],
    })
    expect(await lookup('shop.example')).toMatchObject({ item: ITEM })
  })

  it.each<[string, Zone]>([
    ['nothing is there', {}],
    ['the CNAME leads elsewhere', { 'shop.example': [['CNAME', 'storage.example']] }],
    ['the target is under another host', { 'shop.example': [['CNAME', `${ITEM}.storage.example.evil.example`]] }],
    ['the target is deeper', { 'shop.example': [['CNAME', `a.${TARGET}`]] }],
    ['the target is no object id', { 'shop.example': [['CNAME', 'www.storage.example']] }],
    ['the text is no object id', { '_hookline.shop.example': [['TXT', `item=${ITEM}0`]] }],
    [
      'two texts disagree',
      {
        '_hookline.shop.example': [
          ['TXT', `item=${ITEM}`],
          ['TXT', `item=${OTHER}`],
        ],
      },
    ],
  ])('is none when %s', async (_, zone) => {
    expect(await resolver(zone).lookup('shop.example')).toEqual({ found: false })
  })

  it('D6: is none on a loop or a long chain of CNAMEs, after a few questions', async () => {
    const loop = resolver({ 'a.example': [['CNAME', 'b.example']], 'b.example': [['CNAME', 'a.example']] })
    expect(await loop.lookup('a.example')).toEqual({ found: false })
    expect(loop.asked.length).toBeLessThanOrEqual(3)

    const names = Array.from({ length: 30 }, (_, n) => `n${n}.example`)
    const long = resolver(Object.fromEntries(names.map((name, n) => [name, [['CNAME', names[n + 1] ?? TARGET]]])))
    expect(await long.lookup('n0.example')).toEqual({ found: false })
    expect(long.asked.length).toBeLessThanOrEqual(9)
  })

  it('D6: is not known where the resolver finds a signature bogus', async () => {
    const { lookup } = resolver({ 'shop.example': 'SERVFAIL' })
    await expect(lookup('shop.example')).rejects.toBeInstanceOf(DnsUnavailableError)
  })

  it('is known though one of its two records could not be asked for', async () => {
    const { lookup } = resolver({ 'shop.example': 'SERVFAIL', '_hookline.shop.example': [['TXT', `item=${ITEM}`]] })
    expect(await lookup('shop.example')).toMatchObject({ item: ITEM })
  })
})

describe('a domain name', () => {
  it.each(['shop.example', 'xn--bcher-kva.example', 'a.b.c.d.example'])('is %s', (host) => {
    expect(isDomainName(host)).toBe(true)
  })
  it.each([
    'localhost',
    'shop.local',
    'a.shop.corp',
    '192.0.2.1',
    '[2001:db8::1]',
    '_acme-challenge.shop.example',
    '-a.example',
    'a..example',
    '',
  ])('is not %s', (host) => {
    expect(isDomainName(host)).toBe(false)
  })
  it('keeps a positive answer between 30 seconds and an hour', () => {
    expect([0, 30, 300, 3600, 86_400].map(cacheSeconds)).toEqual([30, 30, 300, 3600, 3600])
  })
  it('names an item only directly under the storage host', () => {
    expect(itemOfTarget(TARGET, 'Storage.Example.:443')).toBe(ITEM)
  })
})
