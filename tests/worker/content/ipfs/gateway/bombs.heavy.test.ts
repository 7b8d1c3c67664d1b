import { brotliDecompressSync } from 'node:zlib'
import { CarReader } from '@ipld/car/reader'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { walkFile } from '../../../../../reader/unixfs/walk-file.ts'
import { SeenCids } from '../../../../../worker/content/ipfs/blocks/block-key.ts'
import { readFile } from '../../../../../worker/content/ipfs/dag/read-file.ts'
import { listDirectory } from '../../../../../worker/content/ipfs/formats/represent-directory.ts'
import { IPFS_REQUEST_LIMITS as LIMITS } from '../../../../../worker/platform/config/fixed-limits.ts'
import { fileBomb, lengthsBomb, shardBomb, treeBomb } from '../bombs.ts'
import { DagFixture } from '../dag-fixture.ts'
import { errorCode, get } from '../gateway-request.ts'
import { openSource } from '../open-source.ts'

const A = new Uint8Array([65])
const dag = new DagFixture()
let shards: CID
let bytes: CID
let tree: CID

beforeAll(async () => {
  shards = await shardBomb(dag, 7)
  bytes = await fileBomb(dag, A, 3, 20_000)
  tree = await treeBomb(dag, 3, 200)
  await dag.store()
})

/** How often a walk returns to the event loop at least while all of its work is done: once in 100 units of it. */
const MIN_RETURNS = LIMITS.maxWork / 100 - 1

/** How often the Worker returned to the event loop while `work` went on: counted, since timers that are late come at once. */
async function returnsDuring(work: () => Promise<unknown>): Promise<number> {
  const waits = vi.spyOn(scheduler, 'wait')
  try {
    await work()
    return waits.mock.calls.length
  } finally {
    waits.mockRestore()
  }
}

/** Reads an answer to its end; `broken` when the connection broke before it. */
async function drain(response: Response): Promise<{ status: number; length: number; broken: boolean }> {
  let length = 0
  try {
    for await (const part of response.body ?? []) length += part.byteLength
    return { status: response.status, length, broken: false }
  } catch {
    return { status: response.status, length, broken: true }
  }
}

async function countBlocks(car: Response): Promise<number> {
  let count = 0
  for await (const _ of (await CarReader.fromBytes(new Uint8Array(await car.arrayBuffer()))).cids()) count++
  return count
}

describe('I8: a sharded directory whose 256 links all lead to the same child, seven levels deep', () => {
  it('is listed by reading each of its eight blocks once', async () => {
    const source = openSource()
    const root = await source.read(shards)
    if (root.kind !== 'shard') throw new Error('It is no shard.')
    expect(await listDirectory(source, root, 10_000)).toEqual({ entries: [], more: false })
    // Eight blocks of at most 12 KiB of links each.
    expect(source.budget.spent).toBeLessThan(8 * 13)
  })

  it('is answered as a page, an entity and a TAR', async () => {
    expect((await get(`/ipfs/${shards}/`)).status).toBe(200)
    const car = await get(`/ipfs/${shards}?format=car&dag-scope=entity`)
    expect(await countBlocks(car)).toBe(8)
    expect((await drain(await get(`/ipfs/${shards}?format=tar`))).length).toBe(3 * 512)
  })

  it('is cut off with each block as often as it is linked, others having their turn meanwhile', async () => {
    const returns = await returnsDuring(async () => {
      const { broken, length } = await drain(await get(`/ipfs/${shards}?format=car&car-dups=y`))
      expect(broken).toBe(true)
      expect(length).toBeLessThan(20_000_000)
    })
    expect(returns).toBeGreaterThan(MIN_RETURNS)
  })
})

describe('I8: a file of one byte repeated 20,000 times, three times over', () => {
  it('is refused at once, whole and in part', async () => {
    for (const headers of [{}, { Range: 'bytes=0-999999' }, { Range: 'bytes=5000000000000-' }]) {
      const response = await get(`/ipfs/${bytes}`, { headers })
      expect([response.status, await errorCode(response)]).toEqual([422, 'dag_too_large'])
    }
    expect((await get(`/ipfs/${bytes}?format=tar`)).status).toBe(422)
    expect((await get(`/ipfs/${bytes}?format=car`)).status).toBe(422)
  })

  it('gives a part that is small enough', async () => {
    const response = await get(`/ipfs/${bytes}`, { headers: { Range: 'bytes=7999999999990-7999999999999' } })
    expect([response.status, await response.text()]).toEqual([206, 'A'.repeat(10)])
  })

  it('is an entity of four blocks', async () => {
    const small = new DagFixture()
    const root = await fileBomb(small, A, 2, 20_000)
    await small.store()
    const car = await get(`/ipfs/${root}?format=car&dag-scope=entity`)
    expect(await countBlocks(car)).toBe(3)
    const source = openSource()
    const node = await source.read(root)
    if (node.kind !== 'file') throw new Error('It is no file.')
    for await (const _ of walkFile(source, node, { start: 0, end: node.size - 1 }, new SeenCids()));
    expect(source.budget.spent).toBeLessThan(4000)
  })
})

describe('a file cut into pieces', () => {
  const rows: [string, number, number, boolean][] = [
    ['of 8 KiB, as chunkers can be told to', 8192, 100, true],
    ['of 16 bytes, of which there are a million', 16, 1000, false],
  ]
  it.each(rows)('%s', async (_, leaf, links, served) => {
    const cut = new DagFixture()
    const root = await fileBomb(cut, new Uint8Array(leaf).fill(65), 2, links)
    await cut.store()
    const { status, length, broken } = await drain(await get(`/ipfs/${root}`))
    expect(status).toBe(served ? 200 : 422)
    if (served) expect([length, broken]).toEqual([leaf * links * links, false])
  })

  it('is refused beyond the bytes of an answer, and sent in parts within them', async () => {
    const cut = new DagFixture()
    const root = await fileBomb(cut, new Uint8Array(1 << 20), 1, 4)
    await cut.store()
    const source = openSource({ maxResponseBytes: 3 << 20 })
    const node = await source.read(root)
    if (node.kind !== 'file') throw new Error('It is no file.')
    const whole = readFile(source, node, { start: 0, end: node.size - 1 })
    await expect(whole.next()).rejects.toMatchObject({ status: 422, code: 'dag_too_large' })
    const part = readFile(source, node, { start: 0, end: 2 << 20 })
    expect((await part.next()).value).toHaveLength(1 << 20)
  })
})

describe('I14: directories of 200 names for the same child, three levels deep', () => {
  it('is cut off as a TAR, others having their turn meanwhile', async () => {
    const returns = await returnsDuring(async () => {
      expect((await drain(await get(`/ipfs/${tree}?format=tar`))).broken).toBe(true)
    })
    expect(returns).toBeGreaterThan(MIN_RETURNS)
  })

  it('is four blocks as a CAR', async () => {
    const car = await get(`/ipfs/${tree}?format=car`)
    expect(await countBlocks(car)).toBe(4)
  })
})

describe('a block made to hurt its reader', () => {
  it('that says how long a million parts are is no file', async () => {
    const made = new DagFixture()
    const root = await lengthsBomb(made)
    await made.store()
    expect((await get(`/ipfs/${root}`)).status).toBe(422)
  })

  it('of a million fields that UnixFS does not have is no file', async () => {
    const made = new DagFixture()
    // Field 15, a varint, as often as it goes in.
    const Data = new Uint8Array(2_000_000).fill(0x78)
    const root = await made.putBlock(dagPb.code, dagPb.encode({ Data, Links: [] }))
    await made.store()
    const response = await get(`/ipfs/${root}`)
    expect([response.status, await errorCode(response)]).toEqual([422, 'invalid_dag'])
  })

  it('of links without a CID is no node', async () => {
    const made = new DagFixture()
    // Field 2, of no bytes.
    const block = Uint8Array.from({ length: 2_000_000 }, (_, index) => (index % 2 === 0 ? 0x12 : 0))
    const root = await made.putBlock(dagPb.code, block)
    await made.store()
    const response = await get(`/ipfs/${root}`)
    expect([response.status, await errorCode(response)]).toEqual([422, 'invalid_dag'])
  })

  it('of more links than a shard of its fanout has is no directory', async () => {
    const made = new DagFixture()
    const Hash = await made.putBlock(raw.code, A)
    const shard = new UnixFS({ type: 'hamt-sharded-directory', fanout: 8n, hashType: 0x22n })
    const shardOf = (links: number) => {
      const Links = Array.from({ length: links }, (_, index) => ({
        Name: `${Math.floor(index / 2)}name${index}`,
        Hash,
        Tsize: 1,
      }))
      return made.putBlock(dagPb.code, dagPb.encode({ Data: shard.marshal(), Links }))
    }
    const [full, beyond] = [await shardOf(8), await shardOf(9)]
    await made.store()
    expect((await get(`/ipfs/${full}/`)).status).toBe(200)
    expect((await get(`/ipfs/${beyond}/`)).status).toBe(422)
  })

  it('of 40,000 links is decoded in portions', async () => {
    const made = new DagFixture()
    const root = await treeBomb(made, 1, 40_000)
    await made.store()
    const returns = await returnsDuring(async () => {
      expect((await drain(await get(`/ipfs/${root}/`))).status).toBe(200)
    })
    expect(returns).toBeGreaterThan(40_000 / 1024)
  })

  it('of half a MiB of CBOR is sent as it is and not decoded', async () => {
    const made = new DagFixture()
    const block = dagCbor.encode(Array.from({ length: 500_000 }, () => 1))
    const root = await made.putBlock(dagCbor.code, block)
    await made.store()
    const sent = await get(`/ipfs/${root}?format=dag-cbor`)
    expect([sent.status, (await sent.arrayBuffer()).byteLength]).toEqual([200, block.byteLength])
    expect(await (await get(`/ipfs/${root}`, { headers: { Accept: 'text/html' } })).text()).toContain('too long')
    expect((await get(`/ipfs/${root}/0`)).status).toBe(422)
    expect((await get(`/ipfs/${root}?format=car`)).status).toBe(422)
  })

  it('of comments that might be the beginning of an SVG is plain text', async () => {
    const made = new DagFixture()
    const root = await made.addFile(`${'<!---->'.repeat(140)}x`)
    await made.store()
    expect((await get(`/ipfs/${root}`)).headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
  })
})

describe('HTML that compresses to nothing', () => {
  const page = new TextEncoder().encode(`<!doctype html>${' '.repeat((1 << 20) - 15)}`)
  const cf: RequestInitCfProperties = { clientAcceptEncoding: 'br' }

  it('is sent as it is where there is much of it', async () => {
    const made = new DagFixture()
    const root = await fileBomb(made, page, 1, 13)
    await made.store()
    const response = await get(`/ipfs/${root}?filename=a.html`, { cf })
    expect(response.headers.get('Content-Encoding')).toBeNull()
    expect((await drain(response)).length).toBe(13 << 20)
  })

  it('is compressed in portions where there is little', async () => {
    const made = new DagFixture()
    const root = await fileBomb(made, page, 1, 8)
    await made.store()
    const response = await get(`/ipfs/${root}?filename=a.html`, { cf })
    expect(response.headers.get('Content-Encoding')).toBe('br')
    const sent = new Uint8Array(await response.arrayBuffer())
    expect(sent.length < 8 << 20 ? brotliDecompressSync(sent).length : sent.length).toBe(8 << 20)
  })
})

it('I17: more bombs than may wait are told to come again, and everybody else is answered', async () => {
  const small = new DagFixture()
  const root = await small.addFile('hello')
  await small.store()
  const bombs = Array.from({ length: 96 }, (_, index) =>
    get(`/ipfs/${tree}?format=tar&filename=${index}`).then(async (response) => {
      const answer = { status: response.status, retryAfter: response.headers.get('Retry-After') }
      await response.body?.cancel()
      return answer
    }),
  )
  const others = Array.from({ length: 20 }, (_, index) => get(`/ipfs/${root}?filename=${index}.txt`))
  for (const other of await Promise.all(others)) expect(await other.text()).toBe('hello')
  const answers = await Promise.all(bombs)
  const refused = answers.filter(({ status }) => status === 503)
  for (const { retryAfter } of refused) expect(retryAfter).toBe('5')
  expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(96)
})
