import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import worker from '../../../worker/index.ts'
import type { Env } from '../../../worker/platform/bindings.ts'
import { storeItem } from '../../kit/store-item.ts'
import { DagFixture } from '../content/ipfs/dag-fixture.ts'
import { store, useScriptedNodes } from '../scripted-node.ts'

const nodes = useScriptedNodes()
const node = nodes['nativecoin.test']
const API = 'https://api.example'
const SANDBOX = 'sandbox allow-scripts allow-forms allow-popups'

const get = (path: string, init?: RequestInit) => exports.default.fetch(`${API}${path}`, init)
const text = () => `<!doctype html><script>alert(document.domain)</script>${crypto.randomUUID()}`
const compressed = (page: string) => brotliCompressSync(Buffer.from(page))
const retrieve = (path: string, txids: string[]) =>
  get(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ blockchain: 'Nativecoin', txids }),
  })

/** An item on the chain with these bytes, which a reader gets decoded. */
async function storeText(page: string, mimetype = 'text/html'): Promise<string> {
  return storeItem(env.DB, { blockchain: 'Nativecoin', mimetype, txids: store([node], compressed(page)) })
}

describe('R1: a path that tries to be another', () => {
  const id = 'a'.repeat(24)
  it.each([
    `/v0/content/%2e%2e%2f${id}`,
    `/v0/content/..%2f..%2fv0%2fuser`,
    `/v0/content/${id}%2f..%2f${id}`,
    `/v0/content/${id}%00`,
    `/v0/content/%252e%252e%252f${id}`,
    `/v0/content/${id};a=b`,
    `/v0/tx/Nativecoin/%2e%2e%2f${'0'.repeat(64)}`,
    `/v0/chunk/Nativecoin%2f..%2fBitcoin/${'0'.repeat(64)}`,
    `/v0/web/Nativecoin/${'0'.repeat(64)}%5c..%5c`,
    '/ipfs/..%2f..%2fv0%2fuser',
    '/ipfs/%00',
    '/ipfs/bafkqaaa/..%2f..%2fx',
  ])('is answered 400 or 404, and nothing is asked: %s', async (path) => {
    const response = await get(path)
    expect([400, 404]).toContain(response.status)
    expect(node.requests).toEqual([])
  })
})

describe('R2: an object id that is none', () => {
  it.each(['f'.repeat(24), 'F'.repeat(24), 'f'.repeat(23), 'f'.repeat(64), 'zz', `${'f'.repeat(23)}g`, '%20'])(
    'is a 404 and asks nobody: %s',
    async (id) => {
      expect((await get(`/v0/content/${id}`)).status).toBe(404)
      expect((await get(`/v0/blob/${id}`, { method: 'HEAD' })).status).toBe(404)
      expect(node.requests).toEqual([])
    },
  )
})

describe('R3: active content on the API host', () => {
  const types = [
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'text/javascript',
    'application/pdf',
  ]
  it.each(types)('can never act with its origin, as %s or by its txids', async (mimetype) => {
    const page = text()
    const txids = store([node], compressed(page))
    const id = await storeItem(env.DB, { blockchain: 'Nativecoin', mimetype, txids })
    const responses = [
      await get(`/v0/content/${id}`),
      await get(`/v0/content/${id}`, { headers: { Range: 'bytes=0-3' } }),
      await retrieve('/v0/web', txids),
      await retrieve('/v0/blob', txids),
      await get(`/v0/tx/Nativecoin/${txids}`),
      await get(`/v0/web/Nativecoin/${txids}`),
    ]
    for (const { status, headers } of responses) {
      expect([200, 206]).toContain(status)
      expect(headers.get('Content-Security-Policy')).toBe(SANDBOX)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(headers.has('Set-Cookie')).toBe(false)
    }
  })

  it('can never act with the origin of the storage apex either', async () => {
    const dag = new DagFixture()
    const cid = await dag.addDirectory({ 'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.html': text() })
    await dag.store()
    for (const path of ['/', '/a.svg', '/a.html', '/a.html?format=raw', '/missing']) {
      const response = await exports.default.fetch(`https://storage.example/ipfs/${cid}${path}`)
      await response.body?.cancel()
      if (path !== '/missing') expect(response.headers.get('Content-Security-Policy')).toBe(SANDBOX)
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
    }
  })
})

describe('a client that has written too much', () => {
  const spent: Env = { ...env, WRITE_LIMIT: { limit: async () => ({ success: false }) } }
  const ask = (path: string, init: RequestInit<IncomingRequestCfProperties>) =>
    worker.fetch(new Request(`${API}${path}`, init), spent, createExecutionContext())

  it('still reads, also by POST', async () => {
    const body = JSON.stringify({ blockchain: 'Nativecoin', txids: store([node], compressed(text())) })
    const headers = { 'Content-Type': 'application/json', 'CF-Connecting-IP': '192.0.2.1' }
    expect((await ask('/v0/web', { method: 'POST', headers, body })).status).toBe(200)
    expect((await ask('/v0/token', { method: 'POST', headers, body })).status).toBe(429)
    // Outside of Cloudflare nobody says who asks: there is no count that one caller fills for all.
    const unknown = { 'Content-Type': 'application/json' }
    expect((await ask('/v0/token', { method: 'POST', headers: unknown, body: '{}' })).status).toBe(400)
  })
})

describe('R7: ranges', () => {
  const page = 'x'.repeat(1000)
  let id: string
  beforeEach(async () => {
    id = await storeText(page, 'text/plain')
  })

  it.each<[string, number, number]>([
    ['bytes=0-0', 206, 1],
    ['bytes=-1', 206, 1],
    ['bytes=990-99999999999999999999', 206, 10],
    ['bytes=-99999999999999999999', 206, 1000],
    ['bytes=5-1', 200, 1000],
    ['bytes=0x1-2', 200, 1000],
    ['lines=0-1', 200, 1000],
    // Of several ranges the first is answered: no part of the content is ever sent twice.
    ['bytes=0-1,2-3', 206, 2],
    ['bytes=0-999,0-999,0-999,0-999,0-999,0-999,0-999', 206, 1000],
  ])('%s is answered %i with %i bytes, never more than the content', async (range, status, length) => {
    const response = await get(`/v0/content/${id}`, { headers: { Range: range } })
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([status, length])
  })

  it.each(['bytes=1000-', 'bytes=-0'])('%s is answered 416, with nothing of the content', async (range) => {
    const response = await get(`/v0/content/${id}`, { headers: { Range: range } })
    expect(response.status).toBe(416)
    expect(await response.text()).not.toContain('xx')
  })
})

describe('R8: conditions', () => {
  it('compare entity tags as RFC 9110 has them', async () => {
    const id = await storeText(text())
    const url = `/v0/content/${id}`
    const etag = (await get(url, { headers: { 'Accept-Encoding': 'identity' } })).headers.get('ETag') ?? ''
    const ask = async (headers: Record<string, string>) => (await get(url, { headers })).status
    expect(await ask({ 'If-None-Match': etag })).toBe(304)
    expect(await ask({ 'If-None-Match': `W/${etag}` })).toBe(304)
    expect(await ask({ 'If-None-Match': `"other", ${etag}` })).toBe(304)
    expect(await ask({ 'If-None-Match': '*' })).toBe(304)
    expect(await ask({ 'If-None-Match': etag.slice(1, -1) })).toBe(200)
    expect(await ask({ Range: 'bytes=0-1', 'If-Range': etag })).toBe(206)
    expect(await ask({ Range: 'bytes=0-1', 'If-Range': `W/${etag}` })).toBe(200)
    expect(await ask({ Range: 'bytes=0-1', 'If-Range': 'Sat, 21 Nov 2026 00:00:00 GMT' })).toBe(200)
  })
})

describe('R16: methods on content', () => {
  it('are GET and HEAD, with the same headers', async () => {
    const id = await storeText(text())
    for (const path of [`/v0/content/${id}`, '/ipfs/bafkqaaa']) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const response = await get(path, { method })
        expect([path, method, response.status]).toEqual([path, method, 405])
        expect(response.headers.get('Allow')).toContain('GET, HEAD')
      }
    }
    const [whole, head] = [await get(`/v0/content/${id}`), await get(`/v0/content/${id}`, { method: 'HEAD' })]
    const names = ['Content-Type', 'ETag', 'Cache-Control', 'Accept-Ranges', 'Vary', 'Content-Security-Policy']
    for (const name of names) expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)])
  })
})

describe('a part of the service that is down', () => {
  let page: string
  let txids: string[]
  let item: string
  const down = (message: string) =>
    new Proxy(
      {},
      {
        get: () => () => {
          throw new Error(message)
        },
      },
    )
  const without = (part: 'DB' | 'BUCKET'): Env => {
    const broken = { ...env }
    Reflect.set(broken, part, down(part === 'DB' ? 'D1_ERROR: D1 DB is overloaded.' : 'R2: internal error (10001)'))
    return broken
  }
  async function ask(environment: Env, path: string, init: RequestInit<IncomingRequestCfProperties> = {}) {
    const ctx = createExecutionContext()
    const response = await worker.fetch(new Request(`${API}${path}`, init), environment, ctx)
    const body = await response.text()
    await waitOnExecutionContext(ctx)
    return { status: response.status, body, headers: response.headers }
  }
  beforeAll(async () => {
    // The denylist is known, as it is in any isolate that has served a request.
    await get('/v0/content/unknown')
  })
  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    page = text()
    txids = store([node], compressed(page))
    item = await storeItem(env.DB, { blockchain: 'Nativecoin', txids })
  })

  it('F8: D1 takes nothing from who asks by txids, nor from who asks for an item that is known', async () => {
    expect(await ask(without('DB'), `/v0/web/Nativecoin/${txids}`)).toMatchObject({ status: 200, body: page })
    const unknown = await ask(without('DB'), `/v0/content/${item}`)
    expect([unknown.status, unknown.headers.get('Retry-After')]).toEqual([503, '5'])
    expect(JSON.parse(unknown.body)).toMatchObject({ code: 'storage_unavailable' })
    expect((await ask(env, `/v0/content/${item}`)).status).toBe(200)
    expect(await ask(without('DB'), `/v0/content/${item}`)).toMatchObject({ status: 200, body: page })
  })

  it('is named in the answer and in the log by the same request id: the one of Cloudflare where there is one', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const traced = await ask(without('DB'), `/v0/content/${item}`, { headers: { 'CF-Ray': '8f0a1b2c3d4e5f60-VIE' } })
    expect([traced.status, traced.headers.get('X-Request-Id')]).toEqual([503, '8f0a1b2c3d4e5f60-VIE'])
    expect(log.mock.calls.flat()).toContain('8f0a1b2c3d4e5f60-VIE')
    const invented = { headers: { 'CF-Ray': 'https://evil.example' } }
    const own = (await ask(without('DB'), `/v0/content/${item}`, invented)).headers.get('X-Request-Id')
    expect(own).toMatch(/^[0-9a-f-]{36}$/)
    expect(log.mock.calls.flat()).toContain(own)
  })

  it('F14, F15: R2 takes nothing from who asks for content on a chain, and never makes an empty 200', async () => {
    expect(await ask(without('BUCKET'), `/v0/content/${item}`)).toMatchObject({ status: 200, body: page })
    const dag = new DagFixture()
    const cid = await dag.addFile(text())
    await dag.store()
    const ipfs = await ask(without('BUCKET'), `/ipfs/${cid}`)
    expect(ipfs.status).toBeGreaterThanOrEqual(500)
    expect(ipfs.headers.get('Cache-Control')).toBe('no-store')
  })

  it('F1: a node takes nothing from who asks for what is kept', async () => {
    expect((await ask(env, `/v0/content/${item}`)).status).toBe(200)
    node.misbehave = () => new Response(null, { status: 500 })
    expect(await ask(env, `/v0/content/${item}`)).toMatchObject({ status: 200, body: page })
    const cold = await ask(env, `/v0/web/Nativecoin/${store([node], compressed(text()))}`)
    expect(cold.status).toBe(502)
    expect(cold.headers.get('Cache-Control')).toBe('no-store')
  })
})
