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
/** As one meta-block, as all was stored before, or with one in each transaction. */
const FORMS = [
  ['as one', Number.POSITIVE_INFINITY, ['0', '19']],
  ['in parts', STEP, ['0']],
] as const
const store = (length: number, step: number) =>
  readWhole(literalBrotli(once(CONTENT.subarray(0, length)), length, step))

describe.each(FORMS)('content that is stored uncompressed %s', async (_, form, opening) => {
  const few = await store(30_000, form)
  const stored = await store(CONTENT.length, form)

  it('has its size by the transactions that say it', async () => {
    const { txids, readData, asked } = chainOf(stored)
    expect((await openLiteralContent(txids, readData))?.size).toBe(CONTENT.length)
    expect(asked).toEqual(opening)
  })

  it('is found whatever its length is', async () => {
    const around = [STEP - 3, STEP, 2 * STEP - 6]
    for (const length of [8, 9].flatMap((count) => around.map((more) => count * STEP + more))) {
      for (let size = length - 30; size < length + 5; size++) {
        const { txids, readData } = chainOf(await store(size, form))
        const content = await openLiteralContent(txids, readData)
        expect(content?.size).toBe(size)
        const end = content && (await readWhole(content.read({ start: size - 10, end: size - 1 }, readData)))
        expect(end).toEqual(CONTENT.slice(size - 10, size))
      }
    }
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
    ['the end is missing', (bytes: Uint8Array) => bytes.subarray(0, -1)],
    ['more follows', (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.alloc(10)])],
    ['the stream does not end', (bytes: Uint8Array) => bytes.with(bytes.length - 1, 0)],
  ])('has no bytes of a last transaction of which %s', async (_, alter) => {
    const { txids, readData } = chainOf(alter(stored))
    const content = await openLiteralContent(txids, readData)
    expect(content === undefined).toBe(form !== STEP)
    const end = { start: CONTENT.length - 9, end: CONTENT.length - 1 }
    if (content) await expect(readWhole(content.read(end, readData))).rejects.toMatchObject({ code: 'not_verified' })
  })

  it('is no other content, nor that of few transactions', async () => {
    const compressed = new Uint8Array(brotliCompressSync(Buffer.from(CONTENT.map((byte) => byte & 63))))
    for (const bytes of [compressed, few]) {
      const { txids, readData } = chainOf(bytes)
      expect(await openLiteralContent(txids, readData)).toBe(undefined)
    }
  })

  it('is not content of small transactions', async () => {
    const { txids, readData } = chainOf(stored, () => 80)
    expect(await openLiteralContent(txids, readData)).toBe(undefined)
  })
})

describe('content with a meta-block in each transaction', async () => {
  const stored = await store(CONTENT.length, STEP)

  it.each([
    ['a header of another length', 1],
    ['a compressed meta-block', 2],
  ])('has no bytes of a transaction that begins with %s', async (_, at) => {
    const { txids, readData } = chainOf(stored.with(9 * STEP + at, 0x55))
    const content = await openLiteralContent(txids, readData)
    const read = (start: number) => content && readWhole(content.read({ start, end: start + 9 }, readData))
    await expect(read(9 * STEP)).rejects.toMatchObject({ code: 'not_verified' })
    expect(await read(0)).toEqual(CONTENT.slice(0, 10))
  })

  it('is read whole where its transactions are not cut as the first one says', async () => {
    for (const step of [STEP - 1, STEP + 1]) {
      const { txids, readData } = chainOf(stored, () => step)
      expect(await openLiteralContent(txids, readData)).toBe(undefined)
    }
  })
})
