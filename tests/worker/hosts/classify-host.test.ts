import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyHost, type HostKind } from '../../../worker/hosts/classify-host.ts'
import { clientUrl } from '../../../worker/hosts/client-url.ts'

const config = { baseUrl: new URL('https://api.example'), storageHost: 'storage.example' }
const local = { baseUrl: new URL('http://127.0.0.1:8787'), storageHost: 'storage.localhost:8787' }
const ITEM = '65f0a1b2c3d4e5f601020304'

describe('a host name', () => {
  const rows: [string, HostKind][] = [
    ['api.example', { kind: 'api' }],
    ['API.Example.:443', { kind: 'api' }],
    ['storage.example', { kind: 'storage' }],
    [`${ITEM}.storage.example`, { kind: 'item', id: ITEM }],
    [`${ITEM.toUpperCase()}.STORAGE.example`, { kind: 'item', id: ITEM }],
    [`${ITEM}0.storage.example`, { kind: 'unknown' }],
    [`${'a2'.repeat(26)}.storage.example`, { kind: 'frame' }],
    [`${'A2'.repeat(26)}.storage.example`, { kind: 'frame' }],
    [`${'a1'.repeat(26)}.storage.example`, { kind: 'unknown' }],
    ['bafy.ipfs.storage.example', { kind: 'subdomain', namespace: 'ipfs', label: 'bafy' }],
    ['en.wikipedia.org.ipns.storage.example', { kind: 'subdomain', namespace: 'ipns', label: 'en.wikipedia.org' }],
    ['almanac.storage.example', { kind: 'address', label: 'almanac' }],
    ['Bitcoin.storage.example', { kind: 'chain', blockchain: 'Bitcoin' }],
    ['a.bitcoin.storage.example', { kind: 'unknown' }],
    ['ipfs.storage.example', { kind: 'address', label: 'ipfs' }],
    ['cafe.storage.example', { kind: 'unknown' }],
    ['a.almanac.storage.example', { kind: 'unknown' }],
    ['www.shop.example', { kind: 'domain', host: 'www.shop.example' }],
    ['notstorage.example', { kind: 'domain', host: 'notstorage.example' }],
  ]
  it.each(rows)('%s is %j', (host, kind) => expect(classifyHost(host, config)).toEqual(kind))

  it('of the machine itself is the API where the API is on the machine itself', () => {
    for (const host of ['localhost:8787', '127.0.0.1:8787', '[::1]:8787']) {
      expect(classifyHost(host, local)).toEqual({ kind: 'api' })
    }
    expect(classifyHost('localhost', config)).toEqual({ kind: 'domain', host: 'localhost' })
    expect(classifyHost('storage.localhost:8787', local)).toEqual({ kind: 'storage' })
  })

  it('means the same in any letters, with its port and with the dot of the root', () => {
    const name = fc.domain().map((domain) => `${domain}.storage.example`)
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: 65535 }), (host, port) => {
        const kind = classifyHost(host, config)
        for (const same of [host.toUpperCase(), `${host}.`, `${host}:${port}`]) {
          expect(classifyHost(same, config)).toEqual(kind)
        }
        expect(['item', 'chain', 'frame', 'subdomain', 'address', 'unknown']).toContain(kind.kind)
      }),
    )
  })
})

describe('the URL as the client wrote it', () => {
  const headers = { 'X-Forwarded-Host': 'www.shop.example, proxy', 'X-Forwarded-Proto': 'https' }
  const request = new Request('http://inside.example/a%20b?c=d', { headers })

  it('is that of the request, whatever a stranger says of forwarding', () => {
    expect(clientUrl(request, { trustForwardedHost: false }).href).toBe('http://inside.example/a%20b?c=d')
  })

  it('is what the operator’s own proxy says', () => {
    expect(clientUrl(request, { trustForwardedHost: true }).href).toBe('https://www.shop.example/a%20b?c=d')
  })

  it('is that of the request where the proxy says no host name', () => {
    const odd = new Request('http://inside.example/', { headers: { 'X-Forwarded-Host': 'a b' } })
    expect(clientUrl(odd, { trustForwardedHost: true }).href).toBe('http://inside.example/')
  })
})
