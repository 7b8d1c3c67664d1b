import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { manifest } from '../../../../../worker/features/hook/hook-assets.ts'

const raw = { 'Accept-Encoding': 'identity' }
const get = (path: string, headers: Record<string, string> = {}) =>
  exports.default.fetch(`https://api.example${path}`, { headers })

const hashed = Object.entries(manifest).filter(([name]) => !['frame.html', 'shell.html', 'worker.js'].includes(name))

describe('the page helper', () => {
  it('is short-lived under its plain name, so that a fix reaches every page', async () => {
    const response = await get('/hook.js')
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('Cache-Control')).toMatch(/^public, max-age=300\b/)
    await response.body?.cancel()
  })

  it.each(hashed)(
    'serves %s under its immutable name, with the bytes that its integrity says',
    async (_, { path, integrity, type, size }) => {
      const response = await get(path, raw)
      expect(response.status).toBe(200)
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('Content-Type')).toBe(type)
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect(bytes.length).toBe(size)
      expect(`sha384-${createHash('sha384').update(bytes).digest('base64')}`).toBe(integrity)
    },
  )

  it('tells what to pin of it, to any page', async () => {
    const response = await get('/hook.json', { Origin: 'https://page.example' })
    expect(response.status).toBe(200)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    const told: { url: string; integrity: string; parts: { path: string; integrity: string }[] } = await response.json()
    const pinned = await (await get(new URL(told.url).pathname, raw)).arrayBuffer()
    expect(`sha384-${createHash('sha384').update(new Uint8Array(pinned)).digest('base64')}`).toBe(told.integrity)
    const parts = hashed.filter(([name]) => name !== 'hook.js').map(([, { path, integrity }]) => [path, integrity])
    expect(told.parts.map(({ path, integrity }) => [path, integrity])).toEqual(parts)
  })

  it('may be loaded by any page, isolated ones included', async () => {
    const response = await get('/hook.js', { Origin: 'https://page.example' })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin')
    await response.body?.cancel()
  })

  it('is not sent again to a browser that has it', async () => {
    const first = await get('/hook.js')
    await first.body?.cancel()
    const etag = first.headers.get('ETag') ?? ''
    expect((await get('/hook.js', { 'If-None-Match': etag })).status).toBe(304)
    expect((await get('/hook.js', { 'If-None-Match': '"another"' })).status).toBe(200)
  })

  it('keeps its build, so that a page that pinned it gets it after the next deployment', async () => {
    await (await get('/hook.js')).body?.cancel()
    const kept = async () => {
      expect(await env.BUCKET.head(`hook${manifest['hook.js'].path}`)).not.toBeNull()
      expect((await env.BUCKET.list({ prefix: 'hook/' })).objects.length).toBe(hashed.length)
    }
    await vi.waitFor(kept, { timeout: 60_000 })
  })

  it('serves a file of an earlier build from what was kept, and 404 for names that never were', async () => {
    const kept = await env.BUCKET.get(`hook${manifest['hook.js'].path}`)
    await env.BUCKET.put('hook/hook.0123456789abcdef.js', (await kept?.arrayBuffer()) ?? '', {
      httpMetadata: { contentType: 'text/javascript; charset=utf-8' },
      customMetadata: { etag: '"earlier"' },
    })
    const earlier = await get('/hook.0123456789abcdef.js', raw)
    expect(earlier.status).toBe(200)
    expect((await earlier.arrayBuffer()).byteLength).toBe(manifest['hook.js'].size)
    const never = await get('/hook/show.fedcba9876543210.js')
    expect(never.status).toBe(404)
    expect(await never.json()).toMatchObject({ code: 'not_found' })
  })
})

describe('the frame page', () => {
  it('has an opaque origin by its own policy, and lasts without network', async () => {
    const response = await get('/frame', raw)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Security-Policy')).toBe('sandbox allow-scripts allow-forms allow-popups')
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('Cache-Control')).toMatch(/max-age=2592000/)
    expect(await response.text()).toContain('<script>')
  })
})
