import { env, exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { storeItem } from '../../../kit/store-item.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'
import { DOH_URL, type ScriptedResolver, scriptedResolver } from '../../scripted-resolver.ts'

const nodes = useScriptedNodes()
const chain = [nodes['nativecoin.test']]
const HTML = '<!doctype html><title>A page</title>'

let resolver: ScriptedResolver
beforeEach(() => {
  resolver = scriptedResolver({})
  const mock = vi.mocked(globalThis.fetch)
  const askNode = mock.getMockImplementation() ?? fetch
  mock.mockImplementation((input, init) =>
    String(input).startsWith(DOH_URL) ? resolver.fetch(input) : askNode(input, init),
  )
})

async function storePage(content: Uint8Array = brotliCompressSync(Buffer.from(HTML)), mimetype = 'text/html') {
  return storeItem(env.DB, { blockchain: 'Nativecoin', mimetype, txids: store(chain, content, 60) })
}

const get = (url: string, init: RequestInit = {}) => exports.default.fetch(url, { redirect: 'manual', ...init })
let serial = 0
/** A host of somebody’s own that shows the item. */
function pointHostAt(item: string): string {
  const host = `www.shop-${++serial}.example`
  resolver.zone = { ...resolver.zone, [host]: [['CNAME', `${item}.storage.example`]] }
  return host
}

describe('the host of an item on a chain', () => {
  it('shows the item at its root, as a page on an origin of its own', async () => {
    const id = await storePage()
    const response = await get(`https://${id}.storage.example/`)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(HTML)
    const headers = Object.fromEntries(response.headers)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=31536000, immutable',
      'strict-transport-security': 'max-age=31536000',
    })
    expect(headers).not.toHaveProperty('content-security-policy')
    expect(headers.etag).toMatch(/^"[^"]+"$/)
  })

  it('answers with the stored Brotli, ranges, conditions and HEAD as the API does', async () => {
    const id = await storePage()
    const url = `https://${id}.storage.example/`
    const encoded = await get(url, { headers: { 'Accept-Encoding': 'br' } })
    expect(encoded.headers.get('Content-Encoding')).toBe('br')
    const part = await get(url, { headers: { Range: 'bytes=2-8' } })
    expect([part.status, await part.text()]).toEqual([206, HTML.slice(2, 9)])
    const etag = part.headers.get('ETag') ?? ''
    expect((await get(url, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    const head = await get(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('Content-Length')]).toEqual([200, String(HTML.length)])
    expect(await head.text()).toBe('')
  })

  it('is found however the host is written', async () => {
    const id = await storePage()
    for (const host of [`${id.toUpperCase()}.Storage.Example`, `${id}.storage.example.`, `${id}.storage.example:443`]) {
      expect((await get(`https://${host}/`)).status).toBe(200)
    }
  })

  it('has nothing at any other path', async () => {
    const id = await storePage()
    for (const path of ['/index.html', '/favicon.ico', '/a/', '/%2e%2e%2f', '//', '/;']) {
      expect([path, (await get(`https://${id}.storage.example${path}`)).status]).toEqual([path, 404])
    }
  })

  it('never answers as the API or its hook, whatever credentials are sent', async () => {
    const id = await storePage()
    for (const host of [`${id}.storage.example`, pointHostAt(id)]) {
      for (const path of ['/v0/health', '/v0/token', '/v0', '/hook.js', '/frame', '/docs', '/v0/openapi.json']) {
        const response = await get(`https://${host}${path}`, { headers: { Authorization: 'Bearer x' } })
        expect([host, path, response.status]).toEqual([host, path, 404])
      }
    }
  })

  it('has nothing of the API by any other method either', async () => {
    const id = await storePage()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await get(`https://${id}.storage.example/v0/token`, { method, body: '{}' })
      expect([method, response.status, response.headers.has('Allow')]).toEqual([method, 404, false])
    }
  })

  it('ignores Authorization and Cookie and sets no cookie', async () => {
    const id = await storePage()
    const plain = await get(`https://${id}.storage.example/`)
    const withCredentials = await get(`https://${id}.storage.example/`, {
      headers: { Authorization: 'Bearer garbage', Cookie: 'a=b' },
    })
    expect(withCredentials.status).toBe(200)
    expect(withCredentials.headers.get('ETag')).toBe(plain.headers.get('ETag'))
    expect(withCredentials.headers.has('Set-Cookie')).toBe(false)
  })

  it('R16: refuses every other method with 405', async () => {
    const id = await storePage()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await get(`https://${id}.storage.example/`, { method })
      expect([method, response.status, response.headers.get('Allow')]).toEqual([method, 405, 'GET, HEAD'])
    }
  })

  it.each([201, 402, 202, 409])('shows nothing while the item is in status %i', async (status) => {
    const id = await storeItem(env.DB, { blockchain: 'Nativecoin', status, txids: store(chain, Buffer.from(HTML)) })
    expect((await get(`https://${id}.storage.example/`)).status).toBe(404)
  })

  it('R2: asks no node for an invalid object id', async () => {
    for (const label of ['f'.repeat(24), 'f'.repeat(23), 'f'.repeat(63), 'zz', 'www', 'api', `a.${'f'.repeat(24)}`]) {
      expect((await get(`https://${label}.storage.example/`)).status).toBe(404)
    }
    expect(chain[0]?.requests).toEqual([])
  })

  it('R19: gives SVG, scripts and PDF their own media type, and nosniff', async () => {
    for (const type of ['image/svg+xml', 'text/javascript', 'application/pdf', 'application/wasm']) {
      const id = await storePage(crypto.getRandomValues(new Uint8Array(50)), type)
      const response = await get(`https://${id}.storage.example/`)
      expect([response.headers.get('Content-Type'), response.headers.get('X-Content-Type-Options')]).toEqual([
        type,
        'nosniff',
      ])
      await response.body?.cancel()
    }
  })

  it.each(['multipart/x-mixed-replace', 'text/html; charset=utf-7', 'text/html\r\nSet-Cookie: a=b'])(
    'sends an item of old of type %j as bytes of no known type',
    async (type) => {
      const id = await storePage(crypto.getRandomValues(new Uint8Array(50)), type)
      const response = await get(`https://${id}.storage.example/`)
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/octet-stream'])
      expect(response.headers.has('Set-Cookie')).toBe(false)
      await response.body?.cancel()
    },
  )

  it('D14: leaves the proofs of who runs a host to who runs it', async () => {
    const id = await storePage()
    const name = 'k51qzi5uqu5dh9ihj4p2v5sl3hxvv27ryx2w0xrsv6jmmqi91t9xp8p9kaipc2'
    for (const host of [id, `${name}.ipns`]) {
      const response = await get(`https://${host}.storage.example/.well-known/acme-challenge/token`)
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
    }
  })
})

describe('a domain of somebody’s own', () => {
  it('shows the item that its CNAME names, as something that can change', async () => {
    const host = pointHostAt(await storePage())
    const response = await get(`https://${host}/`)
    expect([response.status, await response.text()]).toEqual([200, HTML])
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=0, must-revalidate')
    const etag = response.headers.get('ETag') ?? ''
    expect((await get(`https://${host}/`, { headers: { 'If-None-Match': etag } })).status).toBe(304)
  })

  it('D10: is sent from http to https where Cloudflare says that it came by http, with HSTS for itself alone', async () => {
    const host = pointHostAt(await storePage())
    const response = await get(`http://${host}/?a=b`, { headers: { 'CF-Visitor': '{"scheme":"http"}' } })
    expect([response.status, response.headers.get('Location')]).toEqual([308, `https://${host}/?a=b`])
    expect(response.headers.has('Strict-Transport-Security')).toBe(false)
    const secure = await get(`https://${host}/`)
    expect(secure.headers.get('Strict-Transport-Security')).not.toContain('includeSubDomains')
  })

  it('D11: shows nothing when its item does not exist', async () => {
    expect((await get(`https://${pointHostAt('f'.repeat(24))}/`)).status).toBe(404)
  })

  it('is a 404 without a record, and never asks DNS for an address', async () => {
    expect((await get('https://nobody.example/')).status).toBe(404)
    const { length } = resolver.asked
    expect((await get('https://192.0.2.7/')).status).toBe(404)
    expect(resolver.asked).toHaveLength(length)
  })

  it('is a 504 while its DNS cannot be asked', async () => {
    resolver.silent = true
    const response = await get('https://never-seen.example/')
    expect(response.status).toBe(504)
    expect(await response.json()).toMatchObject({ code: 'resolver_unavailable' })
  })
})
