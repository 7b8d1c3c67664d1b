import { describe, expect, it } from 'vitest'
import { DnsUnavailableError, parseDnsAnswer, queryDns } from '../../../../worker/platform/dns/query-dns.ts'

const RESOLVER = 'https://resolver.example/dns-query?key=1'
const answering =
  (body: unknown, status = 200) =>
  async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })

describe('a DNS answer in JSON', () => {
  it('gives CNAME targets, addresses and TXT texts, and passes other types over', () => {
    const answer = {
      Status: 0,
      Answer: [
        { name: 'WWW.Shop.Example.', type: 5, TTL: 60, data: 'Target.Example.' },
        { name: 'target.example', type: 1, TTL: 60, data: '192.0.2.1' },
        { name: 'target.example', type: 15, TTL: 60, data: '10 mail.target.example.' },
        { name: 'shop.example', type: 16, TTL: 300, data: '"item=" "\\"quoted\\" end"' },
        { name: 'shop.example', type: 16, TTL: 300, data: 'bare text' },
        { name: 'shop.example', type: 16, data: 'no time to live' },
        'nonsense',
      ],
    }
    expect(parseDnsAnswer(answer)).toEqual([
      { name: 'www.shop.example', type: 'CNAME', ttl: 60, data: 'target.example' },
      { name: 'target.example', type: 'A', ttl: 60, data: '192.0.2.1' },
      { name: 'shop.example', type: 'TXT', ttl: 300, data: 'item="quoted" end' },
      { name: 'shop.example', type: 'TXT', ttl: 300, data: 'bare text' },
    ])
  })

  it('says that a name does not exist with no records', () => {
    expect(parseDnsAnswer({ Status: 3 })).toEqual([])
  })

  it.each([[null], ['text'], [{}], [{ Status: 2 }], [{ Status: 5 }], [{ Status: 0, Answer: 'x' }]])(
    'is refused when it is %j',
    (answer) => {
      expect(() => parseDnsAnswer(answer)).toThrow()
    },
  )
})

describe('a question to the resolver', () => {
  it('goes to the configured address only, with the name as a parameter', async () => {
    const asked: { url: URL; accept: string | null; redirect: string | undefined }[] = []
    await queryDns(RESOLVER, 'a.example/../&type=A', 'TXT', async (input, init) => {
      const request = new Request(input, init)
      asked.push({ url: new URL(request.url), accept: request.headers.get('Accept'), redirect: init?.redirect })
      return Response.json({ Status: 0 })
    })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ accept: 'application/dns-json', redirect: 'manual' })
    expect(asked[0]?.url.origin).toBe('https://resolver.example')
    expect(Object.fromEntries(asked[0]?.url.searchParams ?? [])).toEqual({
      key: '1',
      name: 'a.example/../&type=A',
      type: 'TXT',
    })
  })

  it.each([
    ['an error status', answering({ Status: 0 }, 500)],
    ['a redirect', answering('', 302)],
    ['no JSON', answering('<html>')],
    ['a failed lookup', answering({ Status: 2 })],
    ['an endless answer', answering('x'.repeat(70_000))],
    [
      'no connection',
      async () => {
        throw new TypeError('connection refused')
      },
    ],
  ])('that gets %s is not an answer', async (_, fetcher) => {
    await expect(queryDns(RESOLVER, 'a.example', 'TXT', fetcher)).rejects.toBeInstanceOf(DnsUnavailableError)
  })
})
