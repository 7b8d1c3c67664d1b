import { once } from 'node:events'
import { request } from 'node:http'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fromHex } from '../../protocol/bytes.ts'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { at, text } from '../kit/rpc-client.ts'
import { startWorkerOnDaemon, type WorkerOnDaemon } from './worker-on-daemon.ts'

const UNKNOWN = 'f'.repeat(64)

let running: WorkerOnDaemon

beforeAll(async () => {
  running = await startWorkerOnDaemon()
})

afterAll(() => running?.close())

function post(path: string, body: unknown): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  return fetch(new URL(path, running.base), { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The body as it is sent: fetch would decode it. */
async function postRaw(
  path: string,
  body: unknown,
  acceptEncoding: string,
): Promise<{ encoding: unknown; bytes: Buffer }> {
  const headers = { 'Content-Type': 'application/json', 'Accept-Encoding': acceptEncoding }
  const sent = request(new URL(path, running.base), { method: 'POST', headers }).end(JSON.stringify(body))
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
    txids = await running.write(blockchain, stored)
  })

  it('returns through /v0/blob what its wallet wrote, in hex', async () => {
    const response = await post('/v0/blob', { blockchain, txids })
    expect(response.status).toBe(200)
    const bytes = fromHex(await response.text()) ?? new Uint8Array(0)
    expect(brotliDecompressSync(bytes).toString()).toBe(page(blockchain))
  })

  it('returns it as a page through /v0/web, as stored and decoded', async () => {
    const asStored = await postRaw('/v0/web', { blockchain, txids }, 'br')
    expect(asStored.encoding).toBe('br')
    expect(asStored.bytes.equals(stored)).toBe(true)
    const decoded = await postRaw('/v0/web', { blockchain, txids }, 'identity')
    expect(decoded.encoding).toBeUndefined()
    expect(decoded.bytes.toString()).toBe(page(blockchain))
  })

  it('still has it after it was mined, and after the block was reorganised away', async () => {
    const more = await running.write(blockchain, brotliCompressSync(`${page(blockchain)}<p>again</p>`))
    const [hash] = await running.bench.mine()
    expect((await post('/v0/web', { blockchain, txids: more })).status).toBe(200)
    await running.bench.call('invalidateblock', hash)
    const [first] = more
    const chunk = await fetch(new URL(`/v0/chunk/${blockchain}/${first}`, running.base))
    expect(chunk.status).toBe(200)
    expect(text(at(await chunk.json())('hex')).length).toBeGreaterThan(0)
    await running.bench.mineElsewhere()
  })

  it('answers 404 for a transaction it has not, alone or among others', async () => {
    for (const list of [[UNKNOWN], [...txids, UNKNOWN]]) {
      const response = await post('/v0/blob', { blockchain, txids: list })
      expect([response.status, await response.text()]).toEqual([404, ''])
    }
  })
})

describe('a real daemon with large transactions', () => {
  it('returns content of several, each of 102,480 bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 250_000 }, (_, i) => (i * i) >> 3))
    const txids = await running.write('Nativecoin', bytes)
    expect(txids).toHaveLength(3)
    const response = await post('/v0/blob', { blockchain: 'Nativecoin', txids })
    expect(response.status).toBe(200)
    expect((await response.text()) === bytes.toString('hex')).toBe(true)
  })
})
