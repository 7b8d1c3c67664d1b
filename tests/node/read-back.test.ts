import { once } from 'node:events'
import { request } from 'node:http'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { fromHex } from '../../protocol/bytes.ts'
import { BLOCKCHAINS, type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { readModules } from '../../scripts/bundle-worker.ts'
import { runWorker } from '../../scripts/run-worker.ts'
import { NodeBench } from '../devnet/node-bench.ts'
import { at, text } from '../devnet/rpc-client.ts'
import type {} from '../e2e/bundle-once.ts'
import { type Daemon, startLitecoind } from './litecoind.ts'

const UNKNOWN = 'f'.repeat(64)

let daemon: Daemon
let bench: NodeBench
let worker: Miniflare
let base: URL

beforeAll(async () => {
  // As an operator of a Nativecoin node configures it: large data, and more than one such transaction in a chain.
  daemon = await startLitecoind(
    '-acceptnonstdtxn=1',
    '-datacarriersize=102486',
    '-limitancestorsize=3000',
    '-limitdescendantsize=3000',
  )
  bench = new NodeBench(daemon.node)
  const variables: Record<string, string> = {
    BASE_URL: 'http://127.0.0.1',
    STORAGE_HOST: 'storage.localhost',
    TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: 'A'.repeat(43) }] }),
  }
  for (const blockchain of BLOCKCHAINS) variables[`RPC_${blockchain.toUpperCase()}`] = daemon.url
  worker = await runWorker({ modules: await readModules(inject('workerBundle')), port: 0, variables })
  base = await worker.ready
})

afterAll(async () => {
  await worker?.dispose()
  await daemon?.stop()
})

/** Writes bytes with the daemon's own wallet, as much in each transaction as the chain takes. */
async function write(blockchain: Blockchain, bytes: Uint8Array): Promise<string[]> {
  const step = CHAINS[blockchain].maxDataBytes
  const txids: string[] = []
  for (let start = 0; start < bytes.length; start += step) {
    const data = { value: 0n, script: writeOpReturn(bytes.subarray(start, start + step)) }
    const coin = await bench.coin()
    const fee = 20_000n + BigInt(step) * 2n
    txids.push(await bench.send(await bench.sign([coin], [data, { value: coin.value - fee, script: coin.script }])))
  }
  return txids
}

function post(path: string, body: unknown): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  return fetch(new URL(path, base), { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The body as it comes over the wire: fetch would decode it. */
async function postRaw(
  path: string,
  body: unknown,
  acceptEncoding: string,
): Promise<{ encoding: unknown; bytes: Buffer }> {
  const headers = { 'Content-Type': 'application/json', 'Accept-Encoding': acceptEncoding }
  const sent = request(new URL(path, base), { method: 'POST', headers }).end(JSON.stringify(body))
  const [response] = await once(sent, 'response')
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return { encoding: response.headers['content-encoding'], bytes: Buffer.concat(parts) }
}

const page = (blockchain: string) =>
  `<!doctype html><title>${blockchain}</title>${Array.from({ length: 60 }, (_, i) => `<p>${(i * 7919) ** 3}</p>`).join('')}`

describe.each([...BLOCKCHAINS])('a real daemon in the place of %s', (blockchain) => {
  let txids: string[]
  let stored: Buffer

  beforeAll(async () => {
    stored = brotliCompressSync(page(blockchain))
    txids = await write(blockchain, stored)
  })

  it('gives back through /v0/blob what its wallet wrote, in hex', async () => {
    const response = await post('/v0/blob', { blockchain, txids })
    expect(response.status).toBe(200)
    const bytes = fromHex(await response.text()) ?? new Uint8Array(0)
    expect(brotliDecompressSync(bytes).toString()).toBe(page(blockchain))
  })

  it('gives it as a page through /v0/web, as stored and decoded', async () => {
    const asStored = await postRaw('/v0/web', { blockchain, txids }, 'br')
    expect(asStored.encoding).toBe('br')
    expect(asStored.bytes.equals(stored)).toBe(true)
    const decoded = await postRaw('/v0/web', { blockchain, txids }, 'identity')
    expect(decoded.encoding).toBeUndefined()
    expect(decoded.bytes.toString()).toBe(page(blockchain))
  })

  it('has it still after it was mined, and after the block was taken back', async () => {
    const more = await write(blockchain, brotliCompressSync(`${page(blockchain)}<p>again</p>`))
    const [hash] = await bench.mine()
    expect((await post('/v0/web', { blockchain, txids: more })).status).toBe(200)
    await bench.call('invalidateblock', hash)
    const [first] = more
    const chunk = await fetch(new URL(`/v0/chunk/${blockchain}/${first}`, base))
    expect(chunk.status).toBe(200)
    expect(text(at(await chunk.json())('hex')).length).toBeGreaterThan(0)
    await bench.mineElsewhere()
  })

  it('answers 404 for a transaction it has not, alone or among others', async () => {
    for (const list of [[UNKNOWN], [...txids, UNKNOWN]]) {
      const response = await post('/v0/blob', { blockchain, txids: list })
      expect([response.status, await response.text()]).toEqual([404, ''])
    }
  })
})

describe('a real daemon with large transactions', () => {
  it('gives back a content of several, each of 102,480 bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 250_000 }, (_, i) => (i * i) >> 3))
    const txids = await write('Nativecoin', bytes)
    expect(txids).toHaveLength(3)
    const response = await post('/v0/blob', { blockchain: 'Nativecoin', txids })
    expect(response.status).toBe(200)
    expect((await response.text()) === bytes.toString('hex')).toBe(true)
  })
})
