import { brotliCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { literalBrotli } from '../../../protocol/literal-brotli.ts'
import { readWhole } from '../../../reader/read-whole.ts'
import { chainContent } from '../../reader/chain-server.ts'
import { type IpfsServerOptions, importFiles, TestBlocks } from '../../reader/ipfs-server.ts'
import { type Host, hostOf, readBody, workerOf } from './ask-worker.ts'

const content = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8) * 13) & 0xff)
const BYTES = content(20_000)

const blocks = new TestBlocks()
const cid = await importFiles(blocks, [{ content: BYTES }])
const path = `/hookline/ipfs/${cid}`
const transactions = chainContent(new Uint8Array(brotliCompressSync(BYTES)), 4_000)
const onChain = `/hookline/Bitcoin/${transactions.map(({ txid }) => txid)}`

/** Stored uncompressed, so that ranges of it are read alone. */
const LONG = content(60_000)
const literal = chainContent(await readWhole(literalBrotli(once(LONG), LONG.length, 5_000)), 5_000)
const inParts = `/hookline/Nativecoin/${literal.map(({ txid }) => txid)}`

async function* once(bytes: Uint8Array) {
  yield bytes
}

/** A host that alters a leaf: the one with the bytes from 10,000 on. */
const altering: IpfsServerOptions['tamper'] = (_, bytes) =>
  bytes.length === 1000 && bytes.every((byte, at) => byte === BYTES[10_000 + at]) ? bytes.with(7, 1) : bytes

const liar = (car: boolean) => hostOf({ blocks }, { tamper: altering, car })
const honest = () => hostOf({ blocks })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe("an altered block in the author's worker", () => {
  it.each([true, false])('ends the body with an error behind the block before it (CAR: %s)', async (car) => {
    const { ask, reports } = workerOf({ 'https://api.test': liar(car).fetch })
    const { bytes, ended } = await readBody(await ask(path))
    expect(ended).toBe(false)
    expect(bytes).toEqual(Buffer.from(BYTES.subarray(0, bytes.length)))
    expect(bytes.length).toBe(10_000)
    expect(reports).toMatchObject([{ url: `https://author.example${path}`, code: 'not_verified' }])
  })

  it('is an answer with a sentence where it is the first one of a range', async () => {
    const { ask, reports } = workerOf({ 'https://api.test': liar(false).fetch })
    const response = await ask(path, { headers: { Range: 'bytes=10500-10600' } })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([502, 'text/plain; charset=utf-8'])
    expect(reports).toHaveLength(1)
  })

  it('has the next host go on at its byte', async () => {
    const second = honest()
    const { ask, reports } = workerOf({ 'https://api.test': liar(true).fetch, 'https://two.test': second.fetch })
    expect(await readBody(await ask(path))).toEqual({ bytes: Buffer.from(BYTES), ended: true })
    expect([reports, second.requests]).toEqual([[], [`car ${cid}`]])
  })

  it('is the error where the next host has nothing', async () => {
    const nothing: Host = async () => new Response(null, { status: 404 })
    const { ask, reports } = workerOf({ 'https://one.test': nothing, 'https://two.test': liar(true).fetch })
    expect((await readBody(await ask(path))).ended).toBe(false)
    expect(reports).toMatchObject([{ code: 'not_verified' }])
  })
})

describe("hosts of the author's worker", () => {
  it.each([
    ['from IPFS', path],
    ['from a chain', onChain],
  ])('are asked one after another while one fails, %s', async (_, place) => {
    const down: Host = async () => new Response(null, { status: 500 })
    const gone: Host = async () => Promise.reject(new TypeError('failed'))
    const last = hostOf({ blocks, transactions })
    const { ask } = workerOf({ 'https://one.test': down, 'https://two.test': gone, 'https://three.test': last.fetch })
    expect(await readBody(await ask(place))).toEqual({ bytes: Buffer.from(BYTES), ended: true })
  })

  it.each([
    ['from IPFS', path],
    ['from a chain', onChain],
  ])('are asked beside one that is silent for a second, which is then left, %s', async (_, place) => {
    const signals: AbortSignal[] = []
    const silent: Host = (_, init) => {
      if (init.signal) signals.push(init.signal)
      return new Promise(() => {})
    }
    const second = hostOf({ blocks, transactions })
    const { ask } = workerOf({ 'https://one.test': silent, 'https://two.test': second.fetch })
    const asking = ask(place)
    await vi.advanceTimersByTimeAsync(999)
    expect([second.requests, second.chainRequests]).toEqual([[], []])
    await vi.advanceTimersByTimeAsync(1)
    expect((await readBody(await asking)).bytes).toEqual(Buffer.from(BYTES))
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
  })

  it('are not asked for what one denies', async () => {
    const denied: Host = async () => new Response(null, { status: 451 })
    const second = hostOf({ transactions })
    const { ask } = workerOf({ 'https://one.test': denied, 'https://two.test': second.fetch })
    expect([(await ask(onChain)).status, second.chainRequests]).toEqual([451, []])
  })

  it('are left when the page leaves, and nothing is reported', async () => {
    const { ask, reports } = workerOf({ 'https://api.test': honest().fetch })
    const response = await ask(path)
    await response.body?.cancel()
    expect(reports).toEqual([])
  })
})

describe('mutated answers', () => {
  beforeEach(() => {
    vi.useRealTimers()
  })

  const mutation = fc.record({
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    bits: fc.integer({ min: 1, max: 255 }),
    kind: fc.constantFrom('flip', 'cut', 'insert', 'swap'),
  })
  const mutate = (bytes: Uint8Array, { at, bits, kind }: { at: number; bits: number; kind: string }) => {
    const place = Math.floor(at * bytes.length)
    if (kind === 'cut') return bytes.slice(0, place)
    if (kind === 'insert') return Buffer.concat([bytes.subarray(0, place), Uint8Array.of(bits), bytes.subarray(place)])
    if (kind === 'swap') return Buffer.concat([bytes.subarray(place), bytes.subarray(0, place)])
    return bytes.with(place, (bytes[place] ?? 0) ^ bits)
  }
  /** The same answers again: making a CAR takes longer than all else here. */
  const remembering = (host: Host) => {
    const answers = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
    const answer = async (url: string, init: RequestInit) => (await host(url, init)).bytes()
    return (url: string, init: RequestInit) => {
      const key = `${url} ${String(init.body)}`
      const known = answers.get(key) ?? answer(url, init)
      answers.set(key, known)
      return known
    }
  }
  /** A host whose every answer is mutated in the same way. */
  const mutating =
    (host: ReturnType<typeof remembering>, how: { at: number; bits: number; kind: string }): Host =>
    async (url, init) =>
      new Response(new Uint8Array(mutate(await host(url, init), how)))

  it.each([
    ['a CAR', path, true, BYTES],
    ['blocks', path, false, BYTES],
    ['transactions', onChain, true, BYTES],
    ['transactions of uncompressed content', inParts, true, LONG],
  ])('of %s never bring a byte to the page that is not the content', async (_, place, car, bytesThere) => {
    const host = remembering(hostOf({ blocks, transactions: [...transactions, ...literal] }, { car }).fetch)
    const most = bytesThere.length - 1
    const range = fc.record({ start: fc.nat(most), length: fc.integer({ min: 1, max: 8_000 }) })
    await fc.assert(
      fc.asyncProperty(mutation, fc.option(range), async (how, part) => {
        const { ask } = workerOf({
          'https://one.test': mutating(host, how),
          'https://two.test': async () => new Response(null, { status: 404 }),
        })
        const start = part?.start ?? 0
        const end = part ? Math.min(most, start + part.length - 1) : most
        const response = await ask(place, part ? { headers: { Range: `bytes=${start}-${end}` } } : {})
        const { bytes, ended } = await readBody(response)
        if (!response.ok) return
        expect(Buffer.compare(bytes, bytesThere.subarray(start, start + bytes.length))).toBe(0)
        expect(bytes.length === end - start + 1).toBe(ended)
      }),
      { numRuns: 2_500 },
    )
  })
})
