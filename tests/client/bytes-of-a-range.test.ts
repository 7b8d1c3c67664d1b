import { describe, expect, it } from 'vitest'
import { readChainRange } from '../../client/read-chain-range.ts'
import { readIpfs } from '../../client/read-ipfs.ts'
import { CHAINS } from '../../protocol/chains.ts'
import { literalBrotli } from '../../protocol/literal-brotli.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { chainContent, chainServer } from '../reader/chain-server.ts'
import { serveLargeFile } from '../reader/large-file.ts'
import { readBody, workerOf } from './worker/ask-worker.ts'

const API = 'https://api.test'
const MIB = 1 << 20
const MOST = 1.5 * MIB

async function* once(bytes: Uint8Array) {
  yield bytes
}

const same = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

/** A part by the author's worker with this host. */
async function askWorker(fetch: Parameters<typeof workerOf>[0][string], path: string, start: number) {
  const { ask } = workerOf({ [API]: fetch })
  const response = await ask(path, { headers: { Range: `bytes=${start}-${start + MIB - 1}` } })
  expect(response.status).toBe(206)
  return (await readBody(response)).bytes
}

describe.each([
  // kubo's default, and the leaves of this service, of which a range that does not begin with one needs two.
  { leaves: 256 << 10, start: 50_000_000, car: true },
  { leaves: 256 << 10, start: 50_000_000, car: false },
  { leaves: MIB, start: 48 * MIB, car: true },
  { leaves: MIB, start: 48 * MIB, car: false },
])('a range of 1 MiB in the middle of 100 MB on IPFS, in leaves of $leaves bytes, by CAR: $car', (options) => {
  const { leaves, start, car } = options

  it('fetches at most 1.5 MiB in the library', async () => {
    const file = await serveLargeFile(100_000_000, leaves, { car })
    const range = { offset: start, end: start + MIB - 1 }
    const content = await readIpfs(file.cid, { api: API, fetch: file.fetch, ...range })
    expect(same(await content.bytes(), await file.slice(start, start + MIB))).toBe(true)
    expect(file.counted.bytes).toBeLessThanOrEqual(MOST)
  })

  it("fetches at most 1.5 MiB in the author's worker", async () => {
    const file = await serveLargeFile(100_000_000, leaves, { car })
    const bytes = await askWorker(file.fetch, `/hookline/ipfs/${file.cid}`, start)
    expect(same(bytes, await file.slice(start, start + MIB))).toBe(true)
    expect(file.counted.bytes).toBeLessThanOrEqual(MOST)
  })
})

describe('a range of 1 MiB in the middle of 15 MB on Nativecoin', async () => {
  const STEP = CHAINS.Nativecoin.maxDataBytes
  const START = 7_000_000
  const film = Buffer.alloc(
    15_000_000,
    Buffer.from(Array.from({ length: 1021 }, (_, at) => (at * 7 + (at >> 3)) & 0xff)),
  )
  const transactions = chainContent(await readWhole(literalBrotli(once(film), film.length, STEP)), STEP)
  const txids = transactions.map(({ txid }) => txid)

  function server() {
    const counted = { bytes: 0 }
    const { fetch } = chainServer(transactions, (body) => {
      counted.bytes += body.length
      return body
    })
    return { fetch, counted }
  }

  it('fetches at most 1.5 MiB in the library', async () => {
    const { fetch, counted } = server()
    const source = { blockchain: 'Nativecoin' as const, txids }
    const bytes = await readChainRange(source, { start: START, end: START + MIB - 1 }, { api: API, fetch })
    expect(same(bytes, film.subarray(START, START + MIB))).toBe(true)
    expect(counted.bytes).toBeLessThanOrEqual(MOST)
  })

  it("fetches at most 1.5 MiB in the author's worker", async () => {
    const { fetch, counted } = server()
    const bytes = await askWorker(fetch, `/hookline/Nativecoin/${txids}`, START)
    expect(same(bytes, film.subarray(START, START + MIB))).toBe(true)
    expect(counted.bytes).toBeLessThanOrEqual(MOST)
  })
})
