import * as dagPb from '@ipld/dag-pb'
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import * as fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { type FetchOptions, fetchBytes } from '../../reader/fetch-bytes.ts'
import { blockHashes } from '../../reader/ipfs/block-hashes.ts'
import type { IpfsReader } from '../../reader/ipfs/block-source.ts'
import { IPFS_LIMITS, type IpfsLimits } from '../../reader/ipfs/ipfs-limits.ts'
import { openIpfsFile, parseIpfsPath, walkIpfs } from '../../reader/ipfs/open-ipfs.ts'
import { blockName, importFiles, ipfsServer, TestBlocks } from './ipfs-server.ts'

function readerOf(server: { fetch: FetchOptions['fetch'] }, limits: Partial<IpfsLimits> = {}): IpfsReader {
  const hashes = blockHashes(nobleSha256)
  return {
    gateway: 'https://api.test',
    download: (request) => fetchBytes(request, { fetch: server.fetch, silence: 1000 }),
    hashes,
    limits: { ...IPFS_LIMITS, ...limits },
  }
}

async function readAll(reader: IpfsReader, path: string, offset = 0): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of (await openIpfsFile(reader, path, offset)).stream()) parts.push(part)
  return Buffer.concat(parts)
}

/** Bytes that differ from block to block. */
const content = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8) * 13) & 0xff)

async function putNode(blocks: TestBlocks, unixfs: UnixFS, links: dagPb.PBLink[]): Promise<CID> {
  const bytes = dagPb.encode(dagPb.prepare({ Data: unixfs.marshal(), Links: links }))
  const cid = CID.createV1(dagPb.code, await sha256.digest(bytes))
  blocks.add(cid, bytes)
  return cid
}

describe('a file on IPFS', () => {
  it('comes in one CAR, every block hashed', async () => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, [{ content: content(25_000) }])
    const server = ipfsServer(blocks)
    expect(await readAll(readerOf(server), `${root}`)).toEqual(Buffer.from(content(25_000)))
    expect(server.requests).toEqual([`car ${root}`])
  })

  it('comes block by block from a gateway that knows no CAR, with wrapped leaves and version 0 too', async () => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, [{ content: content(5000) }], { rawLeaves: false, cidVersion: 0 })
    const server = ipfsServer(blocks, { car: false })
    expect(await readAll(readerOf(server), `ipfs://${root}`)).toEqual(Buffer.from(content(5000)))
    expect(server.requests).toHaveLength(1 + blocks.blocks.size)
  })

  it('that repeats a block asks for it once', async () => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, [{ content: new Uint8Array(50_000) }])
    const server = ipfsServer(blocks)
    expect(await readAll(readerOf(server), `${root}`)).toEqual(Buffer.alloc(50_000))
    expect(server.requests).toEqual([`car ${root}`])
  })

  it('is the same from every offset', async () => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, [{ content: content(9000) }], { chunkSize: 512 })
    const reader = readerOf(ipfsServer(blocks))
    await fc.assert(
      fc.asyncProperty(fc.nat(9000), async (offset) => {
        expect(await readAll(reader, `${root}`, offset)).toEqual(Buffer.from(content(9000).subarray(offset)))
      }),
      { numRuns: 40 },
    )
  })

  it('goes on block by block where the CAR breaks off', async () => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, [{ content: content(8000) }])
    const server = ipfsServer(blocks, { cutCarAt: 4000 })
    expect(await readAll(readerOf(server), `${root}`)).toEqual(Buffer.from(content(8000)))
    expect(server.requests.filter((one) => one.startsWith('raw')).length).toBeGreaterThan(2)
  })

  it('keeps what comes before a changed block, and nothing behind it, by CAR and block by block', async () => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, [{ content: content(10_000) }])
    const victim = [...blocks.blocks].find(([, bytes]) =>
      Buffer.from(bytes).equals(content(10_000).subarray(4000, 5000)),
    )
    expect(victim).toBeDefined()
    for (const car of [true, false]) {
      const tamper = (cid: CID, bytes: Uint8Array) =>
        blockName(cid) === victim?.[0] ? bytes.map((byte, index) => (index === 500 ? byte ^ 1 : byte)) : bytes
      const parts: Uint8Array[] = []
      const read = async () => {
        const file = await openIpfsFile(readerOf(ipfsServer(blocks, { car, tamper })), `${root}`)
        for await (const part of file.stream()) parts.push(part)
      }
      await expect(read()).rejects.toMatchObject({ code: 'not_verified' })
      expect(Buffer.concat(parts)).toEqual(Buffer.from(content(10_000).subarray(0, 4000)))
    }
  })

  it('is refused whichever byte of a CAR was changed, or is the same file', async () => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, [{ content: content(300) }], { chunkSize: 100 })
    const car = new Uint8Array(
      await (await ipfsServer(blocks).fetch(`https://x/ipfs/${root}?format=car`)).arrayBuffer(),
    )
    for (let place = 0; place < car.length; place++) {
      const changed = car.map((byte, index) => (index === place ? byte ^ 0x21 : byte))
      const fetch = async (url: string) =>
        url.includes('format=car') ? new Response(changed) : new Response(null, { status: 404 })
      const outcome = await readAll(readerOf({ fetch }), `${root}`).catch((error: { code: string }) => error.code)
      expect(['not_verified', 'not_found', 'too_large', 'unsupported', `${content(300)}`]).toContain(
        typeof outcome === 'string' ? outcome : `${Uint8Array.from(outcome)}`,
      )
    }
  })

  it('is not found where a block is missing everywhere', async () => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, [{ content: content(3000) }])
    const tamper = (cid: CID, bytes: Uint8Array) => (bytes.length === 1000 && cid.code === 0x55 ? undefined : bytes)
    await expect(readAll(readerOf(ipfsServer(blocks, { tamper })), `${root}`)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('has no part that is longer or shorter than its parent says', async () => {
    for (const claimed of [5n, 7n]) {
      const blocks = new TestBlocks()
      const leaf = await importFiles(blocks, [{ content: content(6) }])
      const file = new UnixFS({ type: 'file' })
      file.addBlockSize(claimed)
      const root = await putNode(blocks, file, [{ Name: '', Hash: leaf, Tsize: 6 }])
      await expect(readAll(readerOf(ipfsServer(blocks)), `${root}`)).rejects.toMatchObject({ code: 'invalid_dag' })
    }
  })
})

describe('a DAG that means harm', () => {
  it('ends at its nodes: one-byte leaves repeated a billion times', async () => {
    const blocks = new TestBlocks()
    let cid = await importFiles(blocks, [{ content: content(1) }])
    let size = 1n
    for (let level = 0; level < 3; level++) {
      const file = new UnixFS({ type: 'file' })
      const links: dagPb.PBLink[] = []
      for (let link = 0; link < 1000; link++) {
        file.addBlockSize(size)
        links.push({ Name: '', Hash: cid, Tsize: 1 })
      }
      cid = await putNode(blocks, file, links)
      size *= 1000n
    }
    const store = new Map<string, Uint8Array>()
    const reader: IpfsReader = {
      ...readerOf(ipfsServer(blocks), { maxNodes: 5000 }),
      store: {
        get: async (one) => store.get(one.toString()),
        put: async (one, bytes) => void store.set(one.toString(), bytes),
      },
    }
    await expect(readAll(reader, `${cid}`)).rejects.toMatchObject({ code: 'too_large' })
  })

  it('ends at its size, before the first byte', async () => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, [{ content: content(5000) }])
    const reader = readerOf(ipfsServer(blocks), { maxFileBytes: 4999 })
    await expect(openIpfsFile(reader, `${root}`)).rejects.toMatchObject({ code: 'too_large' })
  })

  it('ends at its depth', async () => {
    const blocks = new TestBlocks()
    let cid = await importFiles(blocks, [{ content: content(1) }])
    for (let level = 0; level < 40; level++) {
      const file = new UnixFS({ type: 'file' })
      file.addBlockSize(1n)
      cid = await putNode(blocks, file, [{ Name: '', Hash: cid, Tsize: 1 }])
    }
    await expect(readAll(readerOf(ipfsServer(blocks)), `${cid}`)).rejects.toMatchObject({ code: 'invalid_dag' })
  })

  it('ends where shards link to themselves: seven levels of 256 links to the same child', async () => {
    const blocks = new TestBlocks()
    const leaf = new UnixFS({ type: 'hamt-sharded-directory', fanout: 256n, hashType: 0x22n })
    let cid = await putNode(blocks, leaf, [])
    for (let level = 0; level < 7; level++) {
      const links = Array.from({ length: 256 }, (_, index) => ({
        Name: index.toString(16).toUpperCase().padStart(2, '0'),
        Hash: cid,
        Tsize: 1,
      }))
      cid = await putNode(blocks, leaf, links)
    }
    const walk = async () => {
      for await (const _ of walkIpfs(readerOf(ipfsServer(blocks), { maxNodes: 3000 }), `${cid}`));
    }
    await expect(walk()).rejects.toMatchObject({ code: 'too_large' })
  })

  it.each(['..', '.', 'a/b', 'a\\b', ''])('has no entry called %j', async (Name) => {
    const blocks = new TestBlocks()
    const Hash = await importFiles(blocks, [{ content: content(1) }])
    const root = await putNode(blocks, new UnixFS({ type: 'directory' }), [{ Name, Hash, Tsize: 1 }])
    const walk = async () => {
      for await (const _ of walkIpfs(readerOf(ipfsServer(blocks)), `${root}`));
    }
    await expect(walk()).rejects.toMatchObject({ code: 'invalid_dag' })
  })
})

describe('a directory on IPFS', () => {
  const inFolders = Array.from({ length: 60 }, (_, index) => ({
    path: index % 3 === 0 ? `sub ${index % 6}/file ${index}.txt` : `file ${index}.txt`,
    content: content(20 + index * 40),
  }))
  const inOne = inFolders.map((file, index) => ({ ...file, path: `file ${index}.txt` }))

  it.each([
    ['plain', inFolders, {}],
    ['sharded', inOne, { shardAbove: 0 }],
  ])('that is %s gives every file with its path and bytes', async (_, files, options) => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, files, options)
    const found = new Map<string, Buffer>()
    for await (const entry of walkIpfs(readerOf(ipfsServer(blocks)), `${root}`)) {
      const parts: Uint8Array[] = []
      if (entry.kind === 'file') for await (const part of entry.stream()) parts.push(part)
      found.set(entry.path, Buffer.concat(parts))
    }
    expect(new Map([...found].sort())).toEqual(
      new Map(files.map((file): [string, Buffer] => [file.path, Buffer.from(file.content)]).sort()),
    )
  })

  it.each([
    ['plain', inFolders, {}, 'sub 3/file 33.txt'],
    ['sharded', inOne, { shardAbove: 0 }, 'file 33.txt'],
  ])('that is %s leads to a file by its path', async (_, files, options, path) => {
    const blocks = new TestBlocks()
    const root = await importFiles(blocks, files, options)
    const reader = readerOf(ipfsServer(blocks))
    expect(await readAll(reader, `${root}/${path.replaceAll(' ', '%20')}`)).toEqual(Buffer.from(content(20 + 33 * 40)))
    await expect(readAll(reader, `${root}/${path}.none`)).rejects.toMatchObject({ code: 'not_found' })
    await expect(readAll(reader, `${root}`)).rejects.toMatchObject({ code: 'not_a_file' })
  })
})

describe('an IPFS path', () => {
  it.each(['', 'not-a-cid', 'bafy/x', '../x'])('%j is refused before any request', (path) => {
    expect(() => parseIpfsPath(path)).toThrow(expect.objectContaining({ code: 'invalid_source' }))
  })
})
