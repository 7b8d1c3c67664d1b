import { exports } from 'cloudflare:workers'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { store, useScriptedNodes } from '../../../scripted-node.ts'
import { API, code, get, HTML, page } from './ask.ts'

const nodes = useScriptedNodes()
const bitcoin = [nodes['bitcoin-a.test'], nodes['bitcoin-b.test']]

describe('POST /v0/web', () => {
  const ask = async (stored: Uint8Array, acceptEncoding?: string) => {
    const body = JSON.stringify({ blockchain: 'Bitcoin', txids: store(bitcoin, stored) })
    const cf = { clientAcceptEncoding: acceptEncoding ?? '' } as IncomingRequestCfProperties
    const headers = { 'Content-Type': 'application/json' }
    return await exports.default.fetch(new Request(`${API}/v0/web`, { method: 'POST', headers, body, cf }))
  }

  it('gives the page raw to a client that says nothing of encodings', async () => {
    const stored = page()
    const response = await ask(stored)
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(response.headers.get('Content-Encoding')).toBeNull()
    expect(response.headers.get('Vary')).toBe('Accept-Encoding')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(brotliDecompressSync(stored))
  })

  it('gives the stored Brotli as it is to a client that takes it', async () => {
    const stored = page()
    const response = await ask(stored, 'gzip, br')
    expect(response.headers.get('Content-Encoding')).toBe('br')
    expect(response.headers.get('ETag')).toMatch(/\.br"$/)
  })

  it('obeys br;q=0', async () => {
    expect((await ask(page(), 'br;q=0, *')).headers.get('Content-Encoding')).toBeNull()
  })

  it('serves what is not Brotli as the bytes it is, even when it begins like Brotli', async () => {
    const text = Buffer.from(`; plain text ${crypto.randomUUID()}`)
    const response = await ask(text, 'br')
    expect(response.headers.get('Content-Encoding')).toBeNull()
    expect(await response.text()).toBe(text.toString())
  })

  it('refuses a page that decodes to more than the limit, compressed or not', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(33 << 20, Math.random().toString()))
    for (const accept of ['br', 'identity']) {
      const response = await ask(bomb, accept)
      expect(response.status).toBe(422)
      expect(await code(response)).toBe('content_too_large')
    }
  })
})

describe('GET /v0/web/<blockchain>/<txids>', () => {
  it('gives the page, and a 304 to who has it', async () => {
    const path = `/v0/web/Bitcoin/${store(bitcoin, page()).join(',')}`
    const first = await get(path)
    expect(first.status).toBe(200)
    expect(await first.text()).toContain(HTML)
    const etag = first.headers.get('ETag') ?? ''
    const second = await get(path, { headers: { 'If-None-Match': etag } })
    expect(second.status).toBe(304)
    expect(second.headers.get('ETag')).toBe(etag)
  })

  it('answers HEAD with the length and no body', async () => {
    const stored = page()
    const response = await get(`/v0/web/Bitcoin/${store(bitcoin, stored).join(',')}`, { method: 'HEAD' })
    expect(response.headers.get('Content-Length')).toBe(String(brotliDecompressSync(stored).length))
    expect(await response.text()).toBe('')
  })
})
