import { CarWriter } from '@ipld/car/writer'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { CID } from 'multiformats/cid'
import { toHex } from '../../protocol/bytes.ts'

/** Blocks of a test, by multihash in hex. */
export class TestBlocks {
  readonly blocks = new Map<string, Uint8Array>()

  add(cid: CID, bytes: Uint8Array): void {
    this.blocks.set(blockName(cid), bytes)
  }

  get(cid: CID): Uint8Array | undefined {
    return this.blocks.get(blockName(cid))
  }
}

/** The multihash alone: stores forget codec and version. */
export function blockName(cid: CID): string {
  return toHex(cid.multihash.bytes)
}

export interface ImportOptions {
  chunkSize?: number
  /** Directories with more entries become shards, at 0 every one. */
  shardAbove?: number
  rawLeaves?: boolean
  cidVersion?: 0 | 1
}

/** Imports files as one directory, or one alone as a file; returns the root. A path without content is an empty folder. */
export async function importFiles(
  blocks: TestBlocks,
  files: readonly ({ path?: string; content: Uint8Array } | { path: string })[],
  { chunkSize = 1000, shardAbove, rawLeaves = true, cidVersion = 1 }: ImportOptions = {},
): Promise<CID> {
  const store = new MemoryBlockstore()
  let root: CID | undefined
  const imported = importer(files, store, {
    chunker: fixedSize({ chunkSize }),
    rawLeaves,
    cidVersion,
    wrapWithDirectory: files[0]?.path !== undefined,
    ...(shardAbove !== undefined && { shardSplitThresholdBytes: shardAbove }),
  })
  for await (const entry of imported) root = entry.cid
  for await (const { cid, bytes } of store.getAll()) {
    const parts: Uint8Array[] = []
    if (bytes instanceof Uint8Array) parts.push(bytes)
    else for await (const part of bytes) parts.push(part)
    blocks.add(cid, Buffer.concat(parts))
  }
  if (!root) throw new Error('nothing was imported')
  return root
}

export interface IpfsServerOptions {
  /** `false`: the gateway knows blocks only. */
  car?: boolean
  /** Changes a block on its way; `undefined` leaves it out. */
  tamper?(cid: CID, bytes: Uint8Array): Uint8Array | undefined
  /** Cuts a CAR off behind so many bytes. */
  cutCarAt?: number
}

/** A trustless gateway, as a fetch: `format=raw` and `format=car` of everything below the root; no ranges, no paths. */
export function ipfsServer(blocks: TestBlocks, { car = true, tamper, cutCarAt }: IpfsServerOptions = {}) {
  const requests: string[] = []
  const read = (cid: CID) => {
    const bytes = blocks.get(cid)
    return bytes && tamper ? tamper(cid, bytes) : bytes
  }
  const fetch = async (address: string): Promise<Response> => {
    const url = new URL(address)
    const [, , name = ''] = url.pathname.split('/')
    const cid = CID.parse(name)
    requests.push(
      `${url.searchParams.get('format')} ${name}${url.pathname
        .split('/')
        .slice(3)
        .map((one) => `/${one}`)
        .join('')}`,
    )
    if (url.searchParams.get('format') === 'raw') {
      const bytes = read(cid)
      return bytes ? new Response(new Uint8Array(bytes)) : new Response(null, { status: 404 })
    }
    if (!car || !blocks.get(cid)) return new Response(null, { status: car ? 404 : 501 })
    const parts: Uint8Array[] = []
    const { writer, out } = CarWriter.create([cid])
    const write = async () => {
      for (const one of inOrder(blocks, cid)) {
        const bytes = read(one)
        if (bytes) await writer.put({ cid: one, bytes })
      }
      await writer.close()
    }
    const writing = write()
    for await (const part of out) parts.push(part)
    await writing
    return new Response(new Uint8Array(Buffer.concat(parts).subarray(0, cutCarAt)))
  }
  return { fetch, requests }
}

/** CIDs below a root, depth first, each once. */
function* inOrder(blocks: TestBlocks, cid: CID, seen = new Set<string>()): Generator<CID> {
  const bytes = blocks.get(cid)
  if (!bytes || seen.has(cid.toString())) return
  seen.add(cid.toString())
  yield cid
  if (cid.code === dagPb.code) for (const link of dagPb.decode(bytes).Links) yield* inOrder(blocks, link.Hash, seen)
}
