import { env, exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { finishTransport, isPlainHttp } from '../../../worker/hosts/require-https.ts'
import { store, useScriptedNodes } from '../scripted-node.ts'

const nodes = useScriptedNodes()
const CID = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const PLAIN = { 'CF-Visitor': '{"scheme":"http"}' }
const HOSTS = [
  ['API', 'api.example/v0/health?a=b'],
  ['storage apex', `storage.example/ipfs/${CID}`],
  ['gateway', `${CID}.ipfs.storage.example/a%20b`],
  ['gateway of names', 'docs.ipfs.tech.ipns.storage.example/'],
  ['empty', 'a.nosuch.storage.example/a'],
]

const ask = (url: string, method = 'GET', headers: Record<string, string> = PLAIN) =>
  exports.default.fetch(url, { method, headers, redirect: 'manual' })

describe('D10: plain http', () => {
  it.each(HOSTS)('of the %s host is moved to https for what reads', async (_, address) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(`http://${address}`, method)
      expect([response.status, response.headers.get('Location')]).toEqual([308, `https://${address}`])
    }
  })

  it.each(HOSTS)('of the %s host is refused for everything else', async (_, address) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await ask(`http://${address}`, method)
      expect([response.status, await response.json()]).toEqual([
        403,
        expect.objectContaining({ code: 'https_required' }),
      ])
    }
  })

  it('gets nothing from memory', async () => {
    const txids = store([nodes['bitcoin-a.test']], brotliCompressSync('a page in memory'))
    const path = `api.example/v0/web/Bitcoin/${txids}`
    expect((await ask(`https://${path}`, 'GET', {})).status).toBe(200)
    expect((await ask(`http://${path}`)).status).toBe(308)
  })

  it.each([
    ...HOSTS.filter(([host]) => host !== 'gateway'),
    ['item', `${'0'.repeat(24)}.storage.example/`],
    ['address', 'almanac.storage.example/'],
    ['user', 'www.somebody.example/'],
  ])('of the %s host reaches proofs of who runs it', async (_, address = '') => {
    const response = await ask(`http://${address.split('/')[0]}/.well-known/acme-challenge/token`)
    expect([308, 403]).not.toContain(response.status)
    await response.body?.cancel()
  })

  it('is what the operator’s own proxy says it is, and nobody else', () => {
    const config = { baseUrl: new URL('https://api.example'), trustForwardedHost: true }
    const forwarded = new Request('http://api.example/', { headers: { 'X-Forwarded-Proto': 'http' } })
    expect(isPlainHttp(forwarded, config)).toBe(true)
    expect(isPlainHttp(forwarded, { ...config, trustForwardedHost: false })).toBe(false)
    expect(isPlainHttp(new Request('http://api.example/'), config)).toBe(false)
  })

  it('is fine where the service has no https', () => {
    const config = { baseUrl: new URL('http://127.0.0.1:8787'), trustForwardedHost: false }
    expect(isPlainHttp(new Request('http://127.0.0.1:8787/', { headers: PLAIN }), config)).toBe(false)
    const headers = new Headers()
    finishTransport(headers, { ...env, BASE_URL: 'http://127.0.0.1:8787' })
    expect(headers.has('Strict-Transport-Security')).toBe(false)
  })
})

describe('an answer over https', () => {
  it.each([...HOSTS, ['storage apex, where nothing is,', 'storage.example/nothing']])(
    'of the %s host keeps browsers there, and speaks for no other host',
    async (_, address) => {
      const response = await ask(`https://${address}`, 'HEAD', {})
      expect(response.headers.get('Strict-Transport-Security')).toBe('max-age=31536000')
    },
  )
})
