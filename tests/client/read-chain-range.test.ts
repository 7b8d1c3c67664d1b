import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readChainRange } from '../../client/read-chain-range.ts'
import { literalBrotli } from '../../protocol/literal-brotli.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { chainContent, chainServer } from '../reader/chain-server.ts'

const BYTES = Uint8Array.from({ length: 60_000 }, (_, index) => (index * 7 + (index >> 8) * 13) & 0xff)

async function* once() {
  yield BYTES
}

function readerOf(stored: Uint8Array) {
  const transactions = chainContent(stored, 5_000)
  const txids = transactions.map(({ txid }) => txid)
  const { fetch, requests } = chainServer(transactions)
  const read = (start: number, end: number) =>
    readChainRange({ blockchain: 'Nativecoin', txids }, { start, end }, { api: 'https://api.test', fetch })
  return { read, asked: () => requests.map((request) => request.txids.map((txid) => txids.indexOf(txid))) }
}

describe('a range that the library reads from a chain', () => {
  it.each([
    ['in parts', 5_000, [[0], [6], [7]]],
    ['as one', Number.POSITIVE_INFINITY, [[0], [12], [6], [7]]],
  ])('is read by its own transactions where the content is stored uncompressed %s', async (_, step, transactions) => {
    const { read, asked } = readerOf(await readWhole(literalBrotli(once(), BYTES.length, step)))
    expect(await read(31_000, 36_000)).toEqual(BYTES.slice(31_000, 36_001))
    expect(asked()).toEqual(transactions)
  })

  it('is cut out of the whole where it is compressed', async () => {
    const { read } = readerOf(new Uint8Array(brotliCompressSync(BYTES)))
    expect(await read(31_000, 36_000)).toEqual(BYTES.slice(31_000, 36_001))
  })

  it('ends with the content, and is empty behind it', async () => {
    const { read } = readerOf(await readWhole(literalBrotli(once(), BYTES.length, 5_000)))
    expect(await read(59_990, 70_000)).toEqual(BYTES.slice(59_990))
    expect(await read(60_000, 60_010)).toEqual(new Uint8Array(0))
  })

  it('is refused where it is none', async () => {
    const { read } = readerOf(new Uint8Array(brotliCompressSync(BYTES)))
    await expect(read(10, 9)).rejects.toMatchObject({ code: 'invalid_source' })
  })
})
