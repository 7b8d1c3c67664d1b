import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { storeConsoleBuild } from '../../../../../worker/features/console/console-builds.ts'
import { manifest } from '../../../../../worker/features/console/console-files.ts'
import { consoleOrigins } from '../../../../../worker/features/console/console-origins.ts'
import { parseLetter } from '../../../../../worker/platform/config/parse-setting.ts'

const get = (path: string, headers: Record<string, string> = {}, host = 'api.example') =>
  exports.default.fetch(`https://${host}${path}`, { headers })

describe('the console', () => {
  it.each(manifest.filter(({ immutable }) => immutable))(
    'answers $path as it was built, for ever',
    async ({ path, type, size, integrity }) => {
      const response = await get(path, { 'Accept-Encoding': 'identity' })
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toBe(type)
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect(bytes.length).toBe(size)
      expect(`sha384-${createHash('sha384').update(bytes).digest('base64')}`).toBe(integrity)
    },
  )

  it.each(['/console', '/console/', '/console/items/64b5f0c2a1d3e4f5a6b7c8d9', '/console/pay?address=x'])(
    'answers its page at %s, asked for anew each time',
    async (path) => {
      const response = await get(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('Cache-Control')).toBe('no-cache')
      expect(response.headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin')
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(await response.text()).toContain('/console/assets/')
      const known = response.headers.get('ETag') ?? ''
      expect((await get(path, { 'If-None-Match': known })).status).toBe(304)
    },
  )

  it('keeps its build for a week before it is kept anew, and removes what nobody has open any more', async () => {
    const before = Date.now()
    await storeConsoleBuild(env.BUCKET, before)
    const assets = manifest.filter(({ immutable }) => immutable)
    const keys = async () => (await env.BUCKET.list({ prefix: 'console/' })).objects.map(({ key }) => key)
    expect(await keys()).toHaveLength(assets.length + 1)
    await env.BUCKET.put('console/assets/store-0123abcd.js', 'earlier')
    const [{ path } = { path: '' }] = assets
    await env.BUCKET.delete(path.slice(1))
    await storeConsoleBuild(env.BUCKET, before + 6 * 86_400_000)
    expect(await keys()).not.toContain(path.slice(1))
    await storeConsoleBuild(env.BUCKET, before + 8 * 86_400_000)
    expect(await keys()).toEqual(expect.arrayContaining([path.slice(1), 'console/assets/store-0123abcd.js']))
    await storeConsoleBuild(env.BUCKET, before + 31 * 86_400_000)
    expect(await keys()).not.toContain('console/assets/store-0123abcd.js')
  })

  it('answers a file of an earlier build to a tab that was open during a deployment', async () => {
    await storeConsoleBuild(env.BUCKET, Date.now())
    const [first] = manifest.filter(({ path }) => path.endsWith('.js'))
    const kept = await env.BUCKET.get(first?.path.slice(1) ?? '')
    await env.BUCKET.put('console/assets/store-0123abcd.js', (await kept?.arrayBuffer()) ?? '', {
      httpMetadata: { contentType: 'text/javascript; charset=utf-8' },
      customMetadata: { etag: '"earlier"' },
    })
    const earlier = await get('/console/assets/store-0123abcd.js', { 'Accept-Encoding': 'identity' })
    expect(earlier.status).toBe(200)
    expect(earlier.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
    expect(earlier.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect((await earlier.arrayBuffer()).byteLength).toBe(first?.size)
    const never = await get('/console/assets/store-fedc9876.js')
    expect(never.status).toBe(404)
    await never.body?.cancel()
  })

  it('answers its page already compressed to whoever takes Brotli', async () => {
    const response = await get('/console', { 'Accept-Encoding': 'br' })
    expect(response.headers.get('Content-Encoding')).toBe('br')
    await response.body?.cancel()
  })

  it('A51: allows scripts by their paths, and none of what strangers stored', async () => {
    const response = await get('/console')
    await response.body?.cancel()
    const policy = new Map(
      (response.headers.get('Content-Security-Policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ')
        return [name, sources] as const
      }),
    )
    expect(policy.get('default-src')).toEqual(["'none'"])
    expect(policy.get('script-src')).toEqual([
      'https://api.example/console/',
      'https://api.example/hook.js',
      'https://api.example/hook/',
      "'wasm-unsafe-eval'",
    ])
    expect(policy.get('connect-src')).toEqual(['https://api.example', 'https://storage.example'])
    expect(policy.get('frame-ancestors')).toEqual(["'none'"])
    expect(policy.get('base-uri')).toEqual(["'none'"])
    expect(policy.get('require-trusted-types-for')).toEqual(["'script'"])
    expect(policy.get('trusted-types')).toEqual(['hookline', 'console'])
    expect(policy.get('worker-src')).toEqual(['https://api.example/console/assets/'])
  })

  it('says with its files what one of them may do as a worker: fetch others of them, and nothing else', async () => {
    const worker = manifest.find(({ path }) => path.includes('/compress-worker'))
    const response = await get(worker?.path ?? '')
    expect(response.headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src https://api.example/console/assets/ 'wasm-unsafe-eval'; " +
        "connect-src https://api.example/console/assets/; require-trusted-types-for 'script'",
    )
    await response.body?.cancel()
  })

  it('is told where content is stored, that passkeys are taken, domains can be claimed, and what is not set', async () => {
    const response = await get('/console/settings')
    expect(await response.json()).toEqual({
      storageOrigin: 'https://storage.example',
      letter: null,
      passkeys: true,
      domains: true,
      outbox: null,
      faucet: null,
      help: null,
      terms: null,
      privacy: null,
      contact: null,
    })
  })

  it('shows the letter that the operator names, and no other text', () => {
    expect(parseLetter(`Bitcoin:${'ab'.repeat(32)}`)).toEqual({ blockchain: 'Bitcoin', txids: ['ab'.repeat(32)] })
    for (const wrong of ['Bitcoin:', `bitcoin:${'ab'.repeat(32)}`, 'ab', `IPFS:${'ab'.repeat(32)}`]) {
      expect(() => parseLetter(wrong)).toThrow(/is not a chain/)
    }
  })

  it('says 404 of a file that it does not have, so that no page is taken for a script', async () => {
    const response = await get('/console/assets/view.0123456789.js')
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  })

  it.each(['storage.example', '64b5f0c2a1d3e4f5a6b7c8d9.storage.example', 'own.example'])(
    'is not at %s',
    async (host) => {
      const response = await get('/console', {}, host)
      expect(response.status).not.toBe(200)
      expect(await response.text()).not.toContain('/console/assets/')
    },
  )
})

describe('the origins of its policy', () => {
  const config = (base: string) => ({ baseUrl: new URL(base), storageHost: 'storage.example' })

  it('are those of the settings', () => {
    expect(consoleOrigins('http://127.0.0.1:9/console', config('https://api.example'))).toEqual({
      apiOrigin: 'https://api.example',
      storageOrigin: 'https://storage.example',
    })
  })

  it('are those that the browser uses, where the service runs on this machine', () => {
    const { apiOrigin } = consoleOrigins('http://localhost:8787/console', config('http://127.0.0.1:8787'))
    expect(apiOrigin).toBe('http://localhost:8787')
  })
})
