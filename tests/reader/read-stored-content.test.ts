import { sha256 } from '@noble/hashes/sha2.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHAIN_LIMITS, type ChainReader, readStoredContent } from '../../reader/chain/read-chain-content.ts'
import { type FetchOptions, type FetchRequest, fetchBytes } from '../../reader/fetch-bytes.ts'
import { chainContent, chainServer, dataTransaction } from './chain-server.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const bytes = (content: string) => new TextEncoder().encode(content)

type Fetch = FetchOptions['fetch']

function readerOf(
  server: { fetch: Fetch },
  { signal, ...extra }: Partial<ChainReader> & { signal?: AbortSignal } = {},
): ChainReader {
  const download = (request: FetchRequest) => fetchBytes(request, { fetch: server.fetch, silence: 1000, signal })
  return { api: 'https://api.test', download, sha256, limits: CHAIN_LIMITS, ...extra }
}

const letter = chainContent(bytes('What a chain holds, in pieces of ten bytes each.'), 10)
const txids = letter.map(({ txid }) => txid)

describe('content of a chain', () => {
  it('is the data of its transactions, in the order asked for', async () => {
    const content = await readStoredContent(readerOf(chainServer(letter)), { blockchain: 'Bitcoin', txids })
    expect(text(content)).toBe('What a chain holds, in pieces of ten bytes each.')
  })

  it('repeats the data of a txid that is named twice, and fetches it once', async () => {
    const server = chainServer(letter)
    const [first = ''] = txids
    const content = await readStoredContent(readerOf(server), { blockchain: 'Bitcoin', txids: [first, first] })
    expect(text(content)).toBe('What a chaWhat a cha')
    expect(server.requests).toEqual([{ method: 'GET', txids: [first] }])
  })

  it('is asked for by POST where the list is too long for a URL, and in batches where it is longer still', async () => {
    const many = Array.from({ length: 250 }, (_, index) => dataTransaction(Uint8Array.of(index % 256), index))
    const server = chainServer(many)
    const reader = readerOf(server, { limits: { ...CHAIN_LIMITS, maxBatch: 120 } })
    const all = many.map(({ txid }) => txid)
    const content = await readStoredContent(reader, { blockchain: 'Nativecoin', txids: all })
    expect(content).toHaveLength(250)
    expect(server.requests.map(({ method, txids: asked }) => [method, asked.length])).toEqual([
      ['POST', 120],
      ['POST', 120],
      ['GET', 10],
    ])
  })

  it('is refused whichever byte of the answer was changed', async () => {
    const [{ txid, bytes: raw } = dataTransaction(bytes('x'))] = letter
    await fc.assert(
      fc.asyncProperty(fc.nat(raw.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const server = chainServer(letter, (body) =>
          body.map((byte, index) => (index === place ? byte ^ change : byte)),
        )
        const reading = readStoredContent(readerOf(server), { blockchain: 'Bitcoin', txids: [txid] })
        await expect(reading).rejects.toMatchObject({ code: 'not_verified' })
      }),
      { numRuns: 300 },
    )
  })

  it('is refused when the answer is cut off anywhere', async () => {
    const [{ txid, bytes: raw } = dataTransaction(bytes('x'))] = letter
    for (let length = 0; length < raw.length; length++) {
      const server = chainServer(letter, (body) => body.slice(0, length))
      const reading = readStoredContent(readerOf(server), { blockchain: 'Bitcoin', txids: [txid] })
      await expect(reading).rejects.toMatchObject({ code: 'not_verified' })
    }
  })

  it('is refused when transactions come in another order, or one too many', async () => {
    const swapped = { fetch: async () => new Response(Buffer.concat([...letter].reverse().map((one) => one.bytes))) }
    const more = { fetch: async () => new Response(Buffer.concat([...letter, ...letter].map((one) => one.bytes))) }
    for (const server of [swapped, more]) {
      const reading = readStoredContent(readerOf(server), { blockchain: 'Bitcoin', txids })
      await expect(reading).rejects.toMatchObject({ code: 'not_verified' })
    }
  })

  it('ends as too large while the answer is still coming', async () => {
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1000
        controller.enqueue(new Uint8Array(1000))
      },
    })
    const reader = readerOf(
      { fetch: async () => new Response(endless) },
      { limits: { ...CHAIN_LIMITS, maxRawBytes: 5000 } },
    )
    await expect(readStoredContent(reader, { blockchain: 'Bitcoin', txids })).rejects.toMatchObject({
      code: 'too_large',
    })
    expect(sent).toBeLessThan(20_000)
  })

  it('is not found where the host says so, where a transaction holds no data, and denied at 451', async () => {
    const answers = (status: number) => ({ fetch: async () => new Response(null, { status }) })
    const empty = dataTransaction(new Uint8Array())
    const cases: [{ fetch: Fetch }, string[], string][] = [
      [answers(404), txids, 'not_found'],
      [answers(451), txids, 'denied'],
      [answers(503), txids, 'unavailable'],
      [chainServer([empty]), [empty.txid], 'not_found'],
    ]
    for (const [server, asked, code] of cases) {
      const reading = readStoredContent(readerOf(server), { blockchain: 'Bitcoin', txids: asked })
      await expect(reading).rejects.toMatchObject({ code })
    }
  })

  it.each([
    ['an unknown chain', 'bitcoin', ['ab'.repeat(32)]],
    ['no txid', 'Bitcoin', []],
    ['a short txid', 'Bitcoin', ['ab']],
    ['too many txids', 'Bitcoin', Array.from({ length: 15_001 }, () => 'ab'.repeat(32))],
  ])('is refused before any request for %s', async (_, blockchain, asked) => {
    const server = chainServer(letter)
    const source: unknown = { blockchain, txids: asked }
    const isSource = (value: unknown): value is { blockchain: 'Bitcoin'; txids: string[] } => value === source
    if (!isSource(source)) throw new Error('unreachable')
    await expect(readStoredContent(readerOf(server), source)).rejects.toMatchObject({ code: 'invalid_source' })
    expect(server.requests).toEqual([])
  })

  it('comes from the store without a request, and is fetched anew where what was kept is broken', async () => {
    const kept = new Map<string, Uint8Array>()
    const store = {
      get: async (wanted: readonly string[]) => wanted.map((txid) => kept.get(txid)),
      put: async (found: readonly { txid: string; bytes: Uint8Array }[]) => {
        for (const { txid, bytes: raw } of found) kept.set(txid, raw)
      },
    }
    const server = chainServer(letter)
    const reader = readerOf(server, { store })
    await readStoredContent(reader, { blockchain: 'Bitcoin', txids })
    await readStoredContent(reader, { blockchain: 'Bitcoin', txids })
    expect(server.requests).toHaveLength(1)
    const [first = ''] = txids
    kept.set(first, kept.get(first)?.map((byte) => byte ^ 1) ?? new Uint8Array())
    const content = await readStoredContent(reader, { blockchain: 'Bitcoin', txids })
    expect(text(content)).toBe('What a chain holds, in pieces of ten bytes each.')
    expect(server.requests).toEqual([expect.anything(), { method: 'GET', txids: [first] }])
  })

  it("ends with the signal's reason when it is aborted, also while the answer is coming", async () => {
    const controller = new AbortController()
    const fetch: Fetch = async (_, { signal }) => {
      const body = new ReadableStream({
        start(stream) {
          signal?.addEventListener('abort', () => stream.error(signal.reason))
        },
      })
      queueMicrotask(() => controller.abort(new Error('enough')))
      return new Response(body)
    }
    const reading = readStoredContent(readerOf({ fetch }, { signal: controller.signal }), {
      blockchain: 'Bitcoin',
      txids,
    })
    await expect(reading).rejects.toThrow('enough')
  })
})
