import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, vi } from 'vitest'
import { BLOCK_PREFIX, blockName, CACHED_BLOCK_PREFIX } from '../../../../../worker/content/ipfs/blocks/block-key.ts'
import { openBlockStore } from '../../../../../worker/content/ipfs/blocks/block-store.ts'
import { openBudget } from '../../../../../worker/content/ipfs/blocks/open-blocks.ts'
import { IPFS_REQUEST_LIMITS as LIMITS } from '../../../../../worker/platform/config/fixed-limits.ts'
import { clearMemories } from '../../../clear-memories.ts'
import { DagFixture, randomBytes } from '../dag-fixture.ts'
import { useScriptedHosts } from '../scripted-hosts.ts'

const hosts = useScriptedHosts()
const MIB = 1024 * 1024
const get = (path: string, init?: RequestInit) =>
  exports.default.fetch(`https://api.example${path}`, { redirect: 'manual', ...init })
const refusal = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

/** Waits for what a request left to be done after its answer. */
const settled = (cid: CID) =>
  expect.poll(() => env.BUCKET.head(CACHED_BLOCK_PREFIX + blockName(cid)), { interval: 5 }).not.toBeNull()

describe('blocks behind /ipfs', () => {
  it('come from a gateway once, and from R2 afterwards', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(300_000))
    hosts.answers.set('gateway-a.test', (request) => dag.answer(request))
    expect((await get(`/ipfs/${cid}?format=raw`)).headers.get('Server-Timing')).toBe('cache;desc=miss')
    await settled(cid)
    clearMemories()
    const again = await get(`/ipfs/${cid}?download=true`)
    expect([again.status, again.headers.get('Server-Timing')]).toEqual([200, 'cache;desc=r2'])
    expect(hosts.count('gateway-a.test')).toBe(1)
    const memory = await get(`/ipfs/${cid}?download=true`)
    expect(memory.headers.get('Server-Timing')).toBe('cache;desc=memory')
  })

  it('come from the nearest cache when they are small', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(1000))
    await dag.store()
    expect((await get(`/ipfs/${cid}?format=raw`)).headers.get('Server-Timing')).toBe('cache;desc=r2')
    const held = await get(`/ipfs/${cid}?format=raw&filename=b`)
    expect([held.status, held.headers.get('Server-Timing')]).toEqual([200, 'cache;desc=memory'])
    await env.BUCKET.delete(BLOCK_PREFIX + blockName(cid))
    clearMemories()
    const near = await get(`/ipfs/${cid}?format=raw&filename=a`)
    expect([near.status, near.headers.get('Server-Timing')]).toEqual([200, 'cache;desc=edge'])
  })

  it('come from a gateway while R2 cannot be asked, and are a failure of ours when nobody has them', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile('elsewhere')
    const bucket = new Proxy(env.BUCKET, {
      get: () => () => Promise.reject(new Error('get: We encountered an internal error. Please try again. (10001)')),
    })
    const fetcher: typeof fetch = async (input, init) => dag.answer(new Request(input, init))
    const source = openBlockStore({ bucket, gateways: ['http://g'], fetch: fetcher, budget: openBudget(LIMITS) })
    expect(await source.get(cid)).toEqual(new TextEncoder().encode('elsewhere'))
    const lost = openBlockStore({ bucket, gateways: [], fetch: fetcher, budget: openBudget(LIMITS) })
    const other = CID.createV1(0x55, await sha256.digest(randomBytes(8)))
    await expect(lost.get(other)).rejects.toThrow('internal error')
  })

  it('I6: are never kept when they do not match, and another gateway is asked', async () => {
    const dag = new DagFixture()
    const bytes = randomBytes(3 * MIB)
    const cid = await dag.addFile(bytes)
    hosts.answers.set('gateway-a.test', () => new Response(randomBytes(500)))
    hosts.answers.set('gateway-b.test', (request) => dag.answer(request))
    const response = await get(`/ipfs/${cid}`)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
    expect(hosts.count('gateway-a.test')).toBe(1)
    expect(hosts.count('gateway-b.test')).toBe(4)
  })

  it('damaged in R2 are fetched again', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile('whole')
    await env.BUCKET.put(BLOCK_PREFIX + blockName(cid), 'hole')
    hosts.answers.set('gateway-a.test', (request) => dag.answer(request))
    expect(await (await get(`/ipfs/${cid}`)).text()).toBe('whole')
    // What was damaged was an item's: it is put right where it was, and never expires.
    await vi.waitUntil(async () => (await env.BUCKET.head(BLOCK_PREFIX + blockName(cid)))?.size === 5, 60_000)
    expect(await env.BUCKET.head(CACHED_BLOCK_PREFIX + blockName(cid))).toBeNull()
  })

  it('of which a range needs none are not read', async () => {
    const dag = new DagFixture()
    const bytes = randomBytes(40 * MIB)
    const cid = await dag.addFile(bytes)
    hosts.answers.set('gateway-a.test', (request) => dag.answer(request))
    const response = await get(`/ipfs/${cid}?filename=a.bin`, {
      headers: { Range: `bytes=${20 * MIB + 5}-${20 * MIB + 9}` },
    })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes.slice(20 * MIB + 5, 20 * MIB + 10))
    expect(hosts.asked).toHaveLength(2)
  })

  it('beyond the first are not waited for', async () => {
    const dag = new DagFixture()
    const bytes = randomBytes(3 * MIB)
    const cid = await dag.addFile(bytes)
    const [first] = dag.order
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    hosts.answers.set('gateway-a.test', async (request) => {
      const asked = new URL(request.url).pathname
      if (!asked.endsWith(String(first)) && !asked.endsWith(String(cid))) await gate
      return dag.answer(request)
    })
    const response = await get(`/ipfs/${cid}?filename=a.bin`)
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(value?.slice(0, 10)).toEqual(bytes.slice(0, 10))
    release()
    while (!(await reader?.read())?.done);
  })

  it('that are missing from the middle of a file break the answer off, and it never looks whole', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(8 * MIB))
    const gap = dag.order[6]
    hosts.answers.set('gateway-a.test', (request) =>
      request.url.includes(String(gap)) ? new Response(null, { status: 404 }) : dag.answer(request),
    )
    const response = await get(`/ipfs/${cid}?filename=a.bin`)
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  it('that are missing at the start are an error with its own status', async () => {
    const dag = new DagFixture()
    const cid = await dag.addFile(randomBytes(3 * MIB))
    const [first] = dag.order
    for (const host of ['gateway-a.test', 'gateway-b.test', 'gateway-c.test']) {
      hosts.answers.set(host, (request) =>
        request.url.includes(String(first)) ? new Response(null, { status: 404 }) : dag.answer(request),
      )
    }
    expect(await refusal(await get(`/ipfs/${cid}?filename=a.bin`))).toEqual([404, 'block_not_found'])
  })

  it('are not asked for anywhere with only-if-cached', async () => {
    const cid = CID.createV1(0x55, await sha256.digest(randomBytes(8)))
    for (const method of ['GET', 'HEAD']) {
      const response = await get(`/ipfs/${cid}`, { method, headers: { 'Cache-Control': 'only-if-cached' } })
      expect(response.status).toBe(412)
    }
    expect(hosts.asked).toEqual([])
  })

  it('of a page of a cold flat directory of 1,000 files are one a level', async () => {
    const dag = new DagFixture()
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`page-${index}.html`, `<p>${index}`]))
    const cid = await dag.addDirectory(files)
    hosts.answers.set('gateway-a.test', (request) => dag.answer(request))
    const response = await get(`/ipfs/${cid}/page-777.html`)
    expect(await response.text()).toBe('<p>777')
    expect(hosts.asked).toHaveLength(2)
  })
})

describe('I7: CIDs that cannot be checked', () => {
  const raw = (code: number, bytes: Uint8Array) => CID.createV1(0x55, create(code, bytes))
  const rows: [string, CID, string][] = [
    ['MD5', raw(0xd5, new Uint8Array(16)), 'unsupported_hash'],
    ['SHA-1', raw(0x11, new Uint8Array(20)), 'unsupported_hash'],
    ['an unknown hash function', raw(0x3fff, new Uint8Array(32)), 'unsupported_hash'],
    ['an identity CID of 129 bytes', raw(0x00, new Uint8Array(129)), 'identity_too_large'],
  ]
  it.each(rows)('%s is refused, and nobody is asked', async (_, cid, code) => {
    expect(await refusal(await get(`/ipfs/${cid}`))).toEqual([400, code])
    expect(hosts.asked).toEqual([])
  })

  it('a codec that is not known is served as a block and as nothing else', async () => {
    const dag = new DagFixture()
    const cid = await dag.putBlock(0x93, new Uint8Array([1, 2, 3]))
    await dag.store()
    expect(await refusal(await get(`/ipfs/${cid}`))).toEqual([400, 'unsupported_codec'])
    const block = await get(`/ipfs/${cid}?format=raw`)
    expect(new Uint8Array(await block.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]))
  })
})

describe('identity CIDs', () => {
  it('carry their content', async () => {
    expect(await (await get('/ipfs/bafkqabtimvwgy3yk')).text()).toBe('hello\n')
  })

  it('answer the probe of trustless gateways', async () => {
    for (const method of ['GET', 'HEAD']) {
      const block = await get('/ipfs/bafkqaaa?format=raw', { method })
      expect([block.status, (await block.arrayBuffer()).byteLength]).toEqual([200, 0])
      expect((await get('/ipfs/bafkqaaa?format=car', { method })).status).toBe(200)
    }
  })

  it('up to 128 bytes are served', async () => {
    const cid = CID.createV1(0x55, identity.digest(new Uint8Array(128).fill(97)))
    expect(await (await get(`/ipfs/${cid}`)).text()).toBe('a'.repeat(128))
  })
})

describe('I8: DAGs made to hurt', () => {
  async function filePart(dag: DagFixture, parts: { cid: CID; size: bigint }[]): Promise<CID> {
    const unixfs = new UnixFS({ type: 'file', blockSizes: parts.map(({ size }) => size) })
    const Links = parts.map(({ cid }) => ({ Name: '', Hash: cid, Tsize: 1 }))
    return dag.putBlock(0x70, dagPb.encode({ Data: unixfs.marshal(), Links }))
  }

  it('a file of more levels than any chunker builds', async () => {
    const dag = new DagFixture()
    let cid = await dag.addFile('leaf')
    for (let depth = 0; depth < 40; depth++) cid = await filePart(dag, [{ cid, size: 4n }])
    await dag.store()
    expect(await refusal(await get(`/ipfs/${cid}?filename=a.txt`))).toEqual([422, 'invalid_dag'])
  })

  it('a file whose repeated parts claim more bytes than a number holds', async () => {
    const dag = new DagFixture()
    let cid = await dag.addFile('leaf')
    let size = 4n
    for (let depth = 0; depth < 8; depth++) {
      cid = await filePart(
        dag,
        Array.from({ length: 200 }, () => ({ cid, size })),
      )
      size *= 200n
    }
    await dag.store()
    expect(await refusal(await get(`/ipfs/${cid}`))).toEqual([422, 'invalid_dag'])
  })

  it('a part that is not as long as its parent says', async () => {
    const dag = new DagFixture()
    const cid = await filePart(dag, [{ cid: await dag.addFile('leaf'), size: 5n }])
    await dag.store()
    expect(await refusal(await get(`/ipfs/${cid}?filename=a.txt`))).toEqual([422, 'invalid_dag'])
  })

  it('parts of no length, of which any number cost nothing', async () => {
    const dag = new DagFixture()
    const empty = CID.createV1(0x55, await sha256.digest(randomBytes(8)))
    const leaf = await dag.addFile('leaf')
    const parts = Array.from({ length: 20_000 }, () => ({ cid: empty, size: 0n }))
    const cid = await filePart(dag, [...parts, { cid: leaf, size: 4n }])
    await dag.store()
    expect(await (await get(`/ipfs/${cid}?filename=a.txt`)).text()).toBe('leaf')
    expect(hosts.asked).toEqual([])
  })

  it('a shard that is no shard, or of another width than its directory', async () => {
    const dag = new DagFixture()
    const shard = (fanout: bigint, Links: dagPb.PBLink[]) => {
      const unixfs = new UnixFS({
        type: 'hamt-sharded-directory',
        fanout,
        hashType: 0x22n,
        data: new Uint8Array([255]),
      })
      return dag.putBlock(0x70, dagPb.encode({ Data: unixfs.marshal(), Links }))
    }
    const links = (cid: CID) =>
      Array.from({ length: 256 }, (_, index) => ({
        Name: index.toString(16).toUpperCase().padStart(2, '0'),
        Hash: cid,
        Tsize: 1,
      }))
    const other = await shard(256n, links(await shard(16n, [])))
    const wide = await shard(2n ** 40n, [])
    await dag.store()
    expect(await refusal(await get(`/ipfs/${other}/`))).toEqual([422, 'invalid_dag'])
    expect(await refusal(await get(`/ipfs/${wide}/`))).toEqual([422, 'invalid_dag'])
  })

  it('bytes that are no UnixFS under a CID that says so', async () => {
    const dag = new DagFixture()
    const cid = await dag.putBlock(0x70, randomBytes(100))
    await dag.store()
    expect(await refusal(await get(`/ipfs/${cid}`))).toEqual([422, 'invalid_dag'])
  })
})
