import { brotliCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { literalBrotli } from '../../protocol/literal-brotli.ts'
import { openLiteralContent, type ReadData } from '../../reader/chain/literal-content.ts'
import { readWhole } from '../../reader/read-whole.ts'

const STEP = 5_000
const CONTENT = Uint8Array.from({ length: 98_765 }, (_, index) => (index * 31 + (index >> 7)) & 0xff)

/** Transactions with these bytes, by their number; what was read is counted. */
function chainOf(stored: Uint8Array, lengthOf: (index: number) => number = () => STEP) {
  const data = new Map<string, Uint8Array>()
  for (let at = 0; at < stored.length; ) {
    const length = lengthOf(data.size)
    data.set(String(data.size), stored.subarray(at, at + length))
    at += length
  }
  const asked: string[] = []
  const readData: ReadData = async (txids) => {
    asked.push(...txids)
    return txids.map((txid) => data.get(txid) ?? new Uint8Array(0))
  }
  return { txids: [...data.keys()], readData, asked }
}

async function* once(bytes: Uint8Array) {
  yield bytes
}
const few = await readWhole(literalBrotli(once(CONTENT.subarray(0, 30_000)), 30_000))
const stored = await readWhole(literalBrotli(once(CONTENT), CONTENT.length))

describe('content that is stored uncompressed', () => {
  it('has its size by its first and its last transaction', async () => {
    const { txids, readData, asked } = chainOf(stored)
    expect((await openLiteralContent(txids, readData))?.size).toBe(CONTENT.length)
    expect(asked).toEqual(['0', '19'])
  })

  it('has every range by the transactions of that range alone', async () => {
    const place = fc.nat(CONTENT.length - 1)
    await fc.assert(
      fc.asyncProperty(place, place, async (one, other) => {
        const [start, end] = one < other ? [one, other] : [other, one]
        const { txids, readData, asked } = chainOf(stored)
        const content = await openLiteralContent(txids, readData)
        asked.length = 0
        const bytes = content && (await readWhole(content.read({ start, end }, readData)))
        expect(Buffer.compare(bytes ?? new Uint8Array(0), CONTENT.subarray(start, end + 1))).toBe(0)
        expect(asked.length).toBeLessThanOrEqual(Math.ceil((end - start + 1) / STEP) + 1)
      }),
    )
  })

  it('is refused at a transaction of another length than the first one, before its bytes', async () => {
    // Two that are as long as two of the others, so that the whole is as long as it says.
    const { txids, readData } = chainOf(stored, (index) => (index === 9 ? STEP - 1 : index === 10 ? STEP + 1 : STEP))
    const content = await openLiteralContent(txids, readData)
    const read = (start: number, end: number) => content && readWhole(content.read({ start, end }, readData))
    await expect(read(44_000, 52_000)).rejects.toMatchObject({ code: 'not_verified' })
    expect((await read(0, 9))?.length).toBe(10)
  })

  it.each([
    ['compressed content', new Uint8Array(brotliCompressSync(Buffer.from(CONTENT.map((byte) => byte & 63))))],
    ['content of which the end is missing', stored.subarray(0, -1)],
    ['content behind which more follows', Buffer.concat([stored, Buffer.alloc(10)])],
    ['content whose stream does not end', stored.with(stored.length - 1, 0)],
    ['content of few transactions', few],
  ])('is not %s', async (_, bytes) => {
    const { txids, readData } = chainOf(bytes)
    expect(await openLiteralContent(txids, readData)).toBe(undefined)
  })

  it('is not content of small transactions', async () => {
    const { txids, readData } = chainOf(stored, () => 80)
    expect(await openLiteralContent(txids, readData)).toBe(undefined)
  })
})
