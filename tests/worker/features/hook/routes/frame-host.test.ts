import { exports } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { manifest } from '../../../../../worker/features/hook/hook-assets.ts'

const LABEL = 'a2'.repeat(26)
const get = (path: string, host = `${LABEL}.storage.example`, method = 'GET') =>
  exports.default.fetch(`https://${host}${path}`, { method, headers: { 'Accept-Encoding': 'identity' } })

describe('the host of a frame', () => {
  it('has the shell, which keeps the site in it on this host', async () => {
    const response = await get('/.hookline/shell')
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('Content-Security-Policy')).toContain("frame-src 'self';")
    expect(response.headers.get('Cross-Origin-Embedder-Policy')).toBeNull()
    expect(await response.text()).toContain('<script>')
  })

  it('has a shell that may be left where the page opened it, and one for isolated pages', async () => {
    const opened = await get('/.hookline/shell?navigate&typed=words')
    expect(opened.headers.get('Content-Security-Policy')).toContain('frame-src *;')
    const isolated = await get('/.hookline/shell?isolated')
    expect(isolated.headers.get('Content-Security-Policy')).toContain("frame-src 'self';")
    expect(isolated.headers.get('Cross-Origin-Embedder-Policy')).toBe('require-corp')
  })

  it('has the worker, for the whole host, with the bytes that were built', async () => {
    const response = await get('/.hookline/worker.js')
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('Service-Worker-Allowed')).toBe('/')
    expect(response.headers.get('Cross-Origin-Embedder-Policy')).toBe('require-corp')
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(`sha384-${createHash('sha384').update(bytes).digest('base64')}`).toBe(manifest['worker.js'].integrity)
  })

  it.each(['/', '/index.html', '/sw.js', '/v0/health', '/hook.js', '/frame', '/.hookline/other', '/.hookline/'])(
    'has nothing at %s',
    async (path) => {
      const response = await get(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'not_found' })
    },
  )

  it('takes nothing that is sent', async () => {
    const response = await get('/search?q=typed', undefined, 'POST')
    expect(response.status).toBe(404)
    expect(response.headers.get('Set-Cookie')).toBeNull()
    await response.body?.cancel()
  })

  it.each(['api.example', 'storage.example', '65f0a1b2c3d4e5f601020304.storage.example', `a.${LABEL}.storage.example`])(
    'is no other: %s has neither',
    async (host) => {
      for (const path of ['/.hookline/shell', '/.hookline/worker.js']) {
        const response = await get(path, host)
        expect(response.status).toBe(404)
        await response.body?.cancel()
      }
    },
  )
})
