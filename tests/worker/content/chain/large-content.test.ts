import { env } from 'cloudflare:test'
import { createHash } from 'node:crypto'
import { brotliCompressSync, constants } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { RECORD_PREFIX } from '../../../../worker/content/chain/bucket-records.ts'
import { listName } from '../../../../worker/content/chain/content-record.ts'
import { keptBodies } from '../../../../worker/content/chain/content-store.ts'
import { DECODED_PREFIX } from '../../../../worker/content/chain/decoded-content.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'
import { randomBytes } from '../ipfs/dag-fixture.ts'
import { get, post } from './retrieval/ask.ts'

const MIB = 1 << 20
const STEP = 99_000
const nodes = useScriptedNodes()
const node = nodes['nativecoin.test']

/** Noise, then so many zeros; and what it is compressed to. */
function page(noiseBytes: number, zeros: number) {
  const content = Buffer.concat([randomBytes(noiseBytes), Buffer.alloc(zeros)])
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 22 }
  return { content, stored: brotliCompressSync(content, { params }) }
}

const put = (stored: Uint8Array) => store([node], stored, STEP)
const ask = (form: string, txids: string[], headers = {}) =>
  post(`/v0/${form}`, { blockchain: 'Nativecoin', txids }, headers)
const keyOf = (txids: string[], prefix = RECORD_PREFIX) => prefix + listName({ blockchain: 'Nativecoin', txids })
const hash = (bytes: ArrayBuffer | Uint8Array) =>
  createHash('sha256')
    .update(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes))
    .digest('hex')
const isKept = (key: string) => vi.waitUntil(async () => (await env.BUCKET.head(key)) ?? false, { timeout: 60_000 })
describe('content that is not read whole', () => {
  it('is the same from the node, from R2, from the edge cache and from memory', async () => {
    const bytes = randomBytes(3 * MIB + 12_345)
    const txids = put(bytes)
    const tiers = new Set<string | null>()
    const wanted = hash(Buffer.from(toHex(bytes)))
    const look = async () => {
      const response = await ask('blob', txids)
      tiers.add(response.headers.get('Server-Timing')?.split(',')[0] ?? null)
      expect([response.status, hash(await response.arrayBuffer())]).toEqual([200, wanted])
    }
    await look()
    await isKept(keyOf(txids))
    await vi.waitUntil(async () => {
      keptBodies(env).clear()
      await look()
      return tiers.has('cache;desc=edge')
    })
    await look()
    expect([...tiers].sort()).toEqual(['cache;desc=edge', 'cache;desc=memory', 'cache;desc=miss', 'cache;desc=r2'])
    const part = await get(`/v0/tx/Nativecoin/${txids.join(',')}`, { headers: { Range: 'bytes=2000000-2000099' } })
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 100])
  })

  it('and was altered in R2 is not sent, and read anew by the next', async () => {
    const bytes = randomBytes(2 * MIB)
    const txids = put(bytes)
    await (await ask('blob', txids)).arrayBuffer()
    await isKept(keyOf(txids))
    const object = await env.BUCKET.get(keyOf(txids))
    const altered = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0))
    altered[100] = (altered[100] ?? 0) ^ 1
    await env.BUCKET.put(keyOf(txids), altered, {
      sha256: await crypto.subtle.digest('SHA-256', altered),
      ...(object?.customMetadata ? { customMetadata: object.customMetadata } : {}),
    })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await ask('blob', txids)).status).toBe(503)
    expect(await env.BUCKET.head(keyOf(txids))).toBeNull()
    expect(hash(await (await ask('blob', txids)).arrayBuffer())).toBe(hash(Buffer.from(toHex(bytes))))
  })
})

describe('content that decodes to more than is decoded at once', () => {
  it('goes out decoded, with its length, and HEAD says the same', async () => {
    const { content, stored } = page(100_000, 20 * MIB)
    const txids = put(stored)
    const response = await ask('web', txids)
    expect([response.status, response.headers.get('Content-Length')]).toEqual([200, String(content.length)])
    expect(hash(await response.arrayBuffer())).toBe(hash(content))
    const head = await get(`/v0/web/Nativecoin/${txids}`, { method: 'HEAD' })
    expect([head.headers.get('Content-Length'), head.headers.get('Accept-Ranges')]).toEqual([
      String(content.length),
      'bytes',
    ])
  })

  it.each([
    ['in memory', 5],
    ['in R2', 20],
  ])('gives ranges from a decoded copy %s', async (where, mib) => {
    const { content, stored } = page(100_000, mib * MIB)
    const txids = put(stored)
    for (const [start, end] of [
      [50_000, 150_000],
      [99_000, 3 * MIB],
      [content.length - 10, content.length - 1],
    ] as const) {
      const part = await get(`/v0/web/Nativecoin/${txids}`, { headers: { Range: `bytes=${start}-${end}` } })
      expect([part.status, part.headers.get('Content-Range')]).toEqual([206, `bytes ${start}-${end}/${content.length}`])
      expect(hash(await part.arrayBuffer())).toBe(hash(content.subarray(start, end + 1)))
    }
    const copy = await env.BUCKET.head(keyOf(txids, DECODED_PREFIX))
    expect(copy?.size).toBe(where === 'in R2' ? content.length : undefined)
  })
})
