import { env } from 'cloudflare:test'
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { literalBrotli } from '../../../../protocol/literal-brotli.ts'
import { readWhole } from '../../../../reader/read-whole.ts'
import { RECORD_PREFIX } from '../../../../worker/content/chain/bucket-records.ts'
import { listName } from '../../../../worker/content/chain/content-record.ts'
import { keptBodies } from '../../../../worker/content/chain/content-store.ts'
import { DECODED_PREFIX } from '../../../../worker/content/chain/decoded-content.ts'
import { PARTS_PREFIX } from '../../../../worker/content/chain/list-mark.ts'
import { add } from '../../rows.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'
import { randomBytes } from '../ipfs/dag-fixture.ts'
import { code, get } from './retrieval/ask.ts'

const MIB = 1 << 20
const STEP = 102_480
const nodes = useScriptedNodes()
const node = nodes['nativecoin.test']

async function* once(bytes: Uint8Array) {
  yield bytes
}

/** The stored bytes of content of so many noise bytes. */
async function film(size: number, step = STEP) {
  const content = randomBytes(size)
  return { content, stored: await readWhole(literalBrotli(once(content), size, step)) }
}

const put = (stored: Uint8Array, step = STEP) => store([node], stored, step)
const pathOf = (txids: readonly string[]) => `/v0/web/Nativecoin/${txids.join(',')}`
const keyOf = (txids: string[], prefix = RECORD_PREFIX) => prefix + listName({ blockchain: 'Nativecoin', txids })
const ranged = (path: string, start: number, end: number, headers = {}) =>
  get(path, { headers: { Range: `bytes=${start}-${end}`, ...headers } })
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())
const same = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const isKept = (key: string) => vi.waitUntil(async () => (await env.BUCKET.head(key)) ?? false, { timeout: 60_000 })

/** The transactions that the node was asked for, and the bytes of them. */
function asked() {
  const txids = node.requests.flat()
  return { txids, bytes: txids.reduce((sum, txid) => sum + (node.transactions.get(txid)?.length ?? 0) / 2, 0) }
}

beforeEach(() => keptBodies(env).clear())

describe('a range of content that is stored uncompressed', () => {
  it('needs at the node only the first transaction and its own: 1 MiB of 15 MB is at most 1.5 MiB', async () => {
    const { content, stored } = await film(15_000_000)
    const txids = put(stored)
    const start = 7_000_000
    const response = await ranged(pathOf(txids), start, start + MIB - 1)
    expect([response.status, response.headers.get('Content-Range')]).toEqual([
      206,
      `bytes ${start}-${start + MIB - 1}/15000000`,
    ])
    expect(same(await bytesOf(response), content.subarray(start, start + MIB))).toBe(true)
    const { txids: read, bytes } = asked()
    expect(new Set(read.slice(1))).toEqual(new Set(txids.slice(68, 79)))
    expect([read[0], read.length]).toEqual([txids[0], 12])
    expect(bytes).toBeLessThan(1.5 * MIB)
    expect(node.requests.length).toBeLessThanOrEqual(6)
  })

  it('has the tag of the whole, by which it is not modified, and begins again with If-Range', async () => {
    const { content, stored } = await film(1_200_000)
    const path = pathOf(put(stored))
    const part = await ranged(path, 5, 9)
    const etag = part.headers.get('ETag') ?? ''
    expect(await bytesOf(part)).toEqual(new Uint8Array(content.subarray(5, 10)))
    expect((await ranged(path, 5, 9, { 'If-None-Match': etag })).status).toBe(304)
    const held = await ranged(path, 5, 9, { 'If-Range': etag })
    expect([held.status, (await bytesOf(held)).length]).toEqual([206, 5])
    const again = await ranged(path, 5, 9, { 'If-Range': '"other"' })
    expect([again.status, hash(await bytesOf(again))]).toEqual([200, hash(content)])
    expect((await get(path, { method: 'HEAD' })).headers.get('ETag')).toBe(etag)
  })

  it('is 416 outside of it, for which one transaction is read', async () => {
    const { stored } = await film(1_200_000)
    const txids = put(stored)
    const response = await ranged(pathOf(txids), 1_200_000, 1_200_001)
    expect([response.status, response.headers.get('Content-Range')]).toEqual([416, 'bytes */1200000'])
    expect(await code(response)).toBe('range_not_satisfiable')
    expect(asked().txids).toEqual([txids[0]])
  })

  it('is read again from what was stored of it, without the node', async () => {
    const { content, stored } = await film(1_200_000)
    const path = pathOf(put(stored))
    await bytesOf(await ranged(path, 300_000, 500_000))
    await vi.waitFor(
      async () => {
        node.requests.length = 0
        expect(same(await bytesOf(await ranged(path, 300_000, 500_000)), content.subarray(300_000, 500_001))).toBe(true)
        expect(node.requests).toEqual([])
      },
      { timeout: 60_000 },
    )
  })

  it('is that of an item by its object id, too', async () => {
    const { content, stored } = await film(1_200_000)
    const txids = put(stored)
    const id = toHex(crypto.getRandomValues(new Uint8Array(12)))
    const fields = { id, mimetype: 'video/mp4', blockchain: 'Nativecoin', size: content.length, status: 200 }
    await add('items', { ...fields, stored_size: stored.length })
    await add('item_txids', { item_id: id, txids: txids.join('') })
    const response = await ranged(`/v0/content/${id}`, 1_000_000, 1_000_999)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([206, 'video/mp4'])
    expect(same(await bytesOf(response), content.subarray(1_000_000, 1_001_000))).toBe(true)
    expect(asked().txids).toEqual([txids[0], txids[9]])
  })

  it('of text says its charset by the same bytes as the whole', async () => {
    const html = Buffer.from(`<!doctype html>${' '.repeat(500)}<meta charset="windows-1252">`)
    const content = Buffer.concat([html, randomBytes(100_000)])
    const stored = await readWhole(literalBrotli(once(content), content.length, 5000))
    const path = pathOf(put(stored, 5000))
    const part = await ranged(path, 60_000, 60_009)
    const type = part.headers.get('Content-Type')
    expect(type).toContain('windows-1252')
    expect((await get(path)).headers.get('Content-Type')).toBe(type)
  })
})

describe('a range of such content that is in R2', () => {
  it('reads the parts of the stored bytes that it needs, without a decoded copy', async () => {
    const { content, stored } = await film(4_000_000)
    const txids = put(stored)
    expect(hash(await bytesOf(await get(pathOf(txids))))).toBe(hash(content))
    await isKept(keyOf(txids))
    node.requests.length = 0
    const reads = vi.spyOn(env.BUCKET, 'get')
    for (const start of [0, 102_458, 2_000_000, 3_999_000]) {
      reads.mockClear()
      keptBodies(env).clear()
      const end = Math.min(start + MIB, content.length) - 1
      const response = await ranged(pathOf(txids), start, end)
      expect(response.status).toBe(206)
      expect(same(await bytesOf(response), content.subarray(start, end + 1))).toBe(true)
      const ranges = reads.mock.calls.flatMap(([, options]) => options?.range ?? [])
      // Each 512 KiB that a byte of the range is in has to be compared with its hash.
      expect(ranges).toHaveLength(1)
      const [read] = ranges
      expect(read && 'length' in read ? read.length : 0).toBeLessThanOrEqual(2.5 * MIB)
    }
    expect(node.requests).toEqual([])
    expect(await env.BUCKET.head(keyOf(txids, DECODED_PREFIX))).toBeNull()
    reads.mockRestore()
  })
})

describe('content that is other by its parts than as a whole', () => {
  /** The seventh transaction has a compressed meta-block where the first one says that the bytes are as they are. */
  async function crafted() {
    const { content, stored } = await film(1_200_000)
    const at = 6 * STEP
    const other = Buffer.from(stored)
    // The stream ends here: what follows is no content.
    other[at] = 0x03
    return { content, txids: put(other) }
  }

  it('is answered by its parts while nobody has read the whole, and never afterwards', async () => {
    const { content, txids } = await crafted()
    const path = pathOf(txids)
    expect(same(await bytesOf(await ranged(path, 0, 99)), content.subarray(0, 100))).toBe(true)
    const whole = await bytesOf(await get(path))
    await isKept(keyOf(txids, PARTS_PREFIX))
    await isKept(keyOf(txids))
    // Also where the whole is not there any more.
    for (const kept of [true, false]) {
      if (!kept) await env.BUCKET.delete(keyOf(txids))
      keptBodies(env).clear()
      const part = await bytesOf(await ranged(path, 0, 99))
      expect(part).toEqual(whole.subarray(0, 100))
      expect(same(part, content.subarray(0, 100))).toBe(false)
    }
  })

  it('has no bytes of a transaction that is not as the first one says', async () => {
    const { txids } = await crafted()
    const response = await ranged(pathOf(txids), 6 * STEP, 6 * STEP + 9)
    expect([response.status, await code(response)]).toEqual([404, 'not_verified'])
  })
})
