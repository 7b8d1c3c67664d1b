import { env } from 'cloudflare:test'
import { brotliCompressSync } from 'node:zlib'
import type { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { concatBytes, toHex } from '../../../../../protocol/bytes.ts'
import { BLOCK_PREFIX, blockName } from '../../../../../worker/content/ipfs/blocks/block-key.ts'
import { addFile } from '../../../../../worker/content/ipfs/dag/add-file.ts'
import { add } from '../../../rows.ts'
import { store, useScriptedNodes } from '../../../scripted-node.ts'
import { get, HTML } from './ask.ts'

const nodes = useScriptedNodes()
const bitcoin = [nodes['bitcoin-a.test'], nodes['bitcoin-b.test']]

describe('an item by its object id', () => {
  const bytes = concatBytes([new TextEncoder().encode(HTML.repeat(50))])
  const stored = brotliCompressSync(bytes)

  async function insertItem(status: number): Promise<string> {
    const id = toHex(crypto.getRandomValues(new Uint8Array(12)))
    await add('items', { id, mimetype: 'text/css', size: bytes.length, status, stored_size: stored.length })
    await add('item_txids', { item_id: id, txids: store(bitcoin, stored).join('') })
    return id
  }

  it('is served decoded, with its media type', async () => {
    const response = await get(`/v0/content/${await insertItem(200)}`)
    expect(response.headers.get('Content-Type')).toBe('text/css; charset=utf-8')
    expect(response.headers.get('Accept-Ranges')).toBe('bytes')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  it('is served by ranges of its decoded bytes', async () => {
    const path = `/v0/content/${await insertItem(200)}`
    const part = await get(path, { headers: { Range: 'bytes=10-19' } })
    expect(part.status).toBe(206)
    expect(part.headers.get('Content-Range')).toBe(`bytes 10-19/${bytes.length}`)
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20))
    const beyond = await get(path, { headers: { Range: `bytes=${bytes.length}-` } })
    expect(beyond.status).toBe(416)
    expect(beyond.headers.get('Content-Range')).toBe(`bytes */${bytes.length}`)
  })

  it('says what is wrong with a range outside of it, as JSON whatever the item is', async () => {
    const path = `/v0/content/${await insertItem(200)}`
    const beyond = await get(path, { headers: { Range: `bytes=${bytes.length}-` } })
    expect(beyond.headers.get('Content-Type')).toBe('application/json')
    expect(await beyond.json()).toEqual({ message: expect.any(String), code: 'range_not_satisfiable' })
    const head = await get(path, { method: 'HEAD', headers: { Range: `bytes=${bytes.length}-` } })
    expect([head.status, await head.text()]).toEqual([416, ''])
  })

  it('ignores a range of another version', async () => {
    const headers = { Range: 'bytes=0-1', 'If-Range': '"other"' }
    expect((await get(`/v0/content/${await insertItem(200)}`, { headers })).status).toBe(200)
  })

  it('tells its type and hex size to HEAD /v0/blob, which has no GET', async () => {
    const id = await insertItem(200)
    const head = await get(`/v0/blob/${id}`, { method: 'HEAD' })
    expect(head.headers.get('Content-Type')).toBe('text/css')
    expect(head.headers.get('Content-Length')).toBe(String(2 * stored.length))
    const headers = { 'If-None-Match': head.headers.get('ETag') ?? '' }
    expect((await get(`/v0/blob/${id}`, { method: 'HEAD', headers })).status).toBe(304)
    for (const method of ['GET', 'DELETE']) {
      const refused = await get(`/v0/blob/${id}`, { method })
      expect(refused.status).toBe(405)
      expect(refused.headers.get('Allow')).toBe('HEAD')
    }
  })

  it('is not there before it is stored, nor under a name that is no object id', async () => {
    for (const id of [await insertItem(202), 'f'.repeat(24), 'F'.repeat(24), '..']) {
      expect((await get(`/v0/content/${id}`)).status).toBe(404)
      expect((await get(`/v0/blob/${id}`, { method: 'HEAD' })).status).toBe(404)
    }
  })

  it('is missed with a sentence, and asked for again the next time', async () => {
    const missing = await get(`/v0/content/${'f'.repeat(24)}`)
    expect(await missing.json()).toEqual({ message: expect.any(String), code: 'not_found' })
    expect(missing.headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('an item on IPFS', () => {
  it('is served by its object id with its own media type, by ranges too', async () => {
    const bytes = Uint8Array.from({ length: 3 << 20 }, (_, index) => (index * 2_654_435_761) >>> 13)
    const sink = {
      async put(cid: CID, block: Uint8Array): Promise<CID> {
        await env.BUCKET.put(BLOCK_PREFIX + blockName(cid), block)
        return cid
      },
    }
    const { cid } = await addFile(sink, new Blob([bytes]).stream())
    const id = toHex(crypto.getRandomValues(new Uint8Array(12)))
    const stored = { blockchain: 'IPFS', size: bytes.length, status: 200, cid: cid.toString() }
    await add('items', { id, mimetype: 'video/mp4', ...stored })
    const whole = await get(`/v0/content/${id}`)
    expect(whole.headers.get('Content-Type')).toBe('video/mp4')
    expect(whole.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable, no-transform')
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await get(`/v0/content/${id}`, { headers: { Range: 'bytes=2000000-2000009' } })
    expect(part.status).toBe(206)
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(2_000_000, 2_000_010))
    const head = await get(`/v0/blob/${id}`, { method: 'HEAD' })
    expect(head.headers.get('Content-Length')).toBe(String(2 * bytes.length))
  })
})
