import type { CID } from 'multiformats/cid'
import { CODEC } from '../../../protocol/cid.ts'
import { AppError } from '../../http/errors.ts'
import type { BlockSource } from '../blocks/block-store.ts'
import { type DecodedPb, decodePb } from './decode-pb.ts'
import { invalidDag } from './invalid-dag.ts'

/** A part of a file: the block it begins in and how many bytes of the file it stands for. */
export interface FilePart {
  cid: CID
  size: number
}

export interface DirectoryLink {
  name: string
  cid: CID
  /** `Tsize`: bytes of the whole DAG below, as its publisher says. */
  size: number | undefined
}

/** A block as the gateway reads it. `block` is always the verified bytes of the whole block. */
export type DagNode = { cid: CID; block: Uint8Array } & (
  | { kind: 'file'; size: number; data: Uint8Array; parts: FilePart[] }
  | { kind: 'directory'; links: DirectoryLink[] }
  | { kind: 'shard'; links: DirectoryLink[]; fanout: number }
  | { kind: 'symlink'; target: Uint8Array }
  /** JSON or CBOR, plain or with links (`dag-`). */
  | { kind: 'data'; codec: 'json' | 'cbor' | 'dag-json' | 'dag-cbor' }
  /** Nothing that can be read here; as a block it can still be had. */
  | { kind: 'opaque'; problem: AppError }
)

/** Bytes of what is at a node and below it, as its publisher says; 0 where nothing is said. */
export function claimedSize(node: DagNode): number {
  if (node.kind === 'file') return node.size
  if (node.kind !== 'directory' && node.kind !== 'shard') return node.block.byteLength
  return node.links.reduce((sum, { size = 0 }) => sum + size, 0)
}

const DATA_CODECS = new Map<number, 'json' | 'cbor' | 'dag-json' | 'dag-cbor'>([
  [CODEC.json, 'json'],
  [CODEC.cbor, 'cbor'],
  [CODEC.dagJson, 'dag-json'],
  [CODEC.dagCbor, 'dag-cbor'],
])

/** The node that a CID names. @throws {AppError} as `BlockSource.get` does. */
export async function readNode(source: BlockSource, cid: CID): Promise<DagNode> {
  return await decodeNode(cid, await source.get(cid))
}

/** Reads a block by the codec of its CID (UnixFS specification; dag-pb with its fields in either order). */
export async function decodeNode(cid: CID, block: Uint8Array): Promise<DagNode> {
  if (cid.code === CODEC.raw) return { cid, block, kind: 'file', size: block.byteLength, data: block, parts: [] }
  const codec = DATA_CODECS.get(cid.code)
  if (codec) return { cid, block, kind: 'data', codec }
  if (cid.code === CODEC.dagPb) return decodeUnixfs(cid, block)
  const message = `The codec 0x${cid.code.toString(16)} cannot be read here; ask for the block with ?format=raw.`
  return { cid, block, kind: 'opaque', problem: new AppError(400, 'unsupported_codec', message) }
}

async function decodeUnixfs(cid: CID, block: Uint8Array): Promise<DagNode> {
  try {
    return unixfsNode(cid, block, await decodePb(cid, block))
  } catch (error) {
    if (error instanceof AppError) return { cid, block, kind: 'opaque', problem: error }
    throw error
  }
}

function unixfsNode(cid: CID, block: Uint8Array, { unixfs, links: pbLinks }: DecodedPb): DagNode {
  const links = () => pbLinks.map((link) => ({ name: link.Name ?? '', cid: link.Hash, size: link.Tsize }))
  const data = unixfs.data ?? new Uint8Array(0)
  switch (unixfs.type) {
    case 'directory':
      return { cid, block, kind: 'directory', links: links() }
    case 'hamt-sharded-directory':
      return { cid, block, kind: 'shard', links: links(), fanout: checkFanout(cid, unixfs.fanout) }
    case 'symlink':
      return { cid, block, kind: 'symlink', target: data }
    case 'file':
    case 'raw': {
      if (unixfs.blockSizes.length !== pbLinks.length) throw invalidDag(cid, 'does not say how long its parts are')
      const parts = pbLinks.map((link, index) => ({ cid: link.Hash, size: Number(unixfs.blockSizes[index]) }))
      const size = parts.reduce((sum, part) => sum + part.size, data.byteLength)
      if (!Number.isSafeInteger(size)) throw invalidDag(cid, 'claims an impossible size')
      return { cid, block, kind: 'file', size, data, parts }
    }
    default:
      throw invalidDag(cid, `is UnixFS of type ${unixfs.type}, which is nothing to show`)
  }
}

function checkFanout(cid: CID, fanout: bigint | undefined): number {
  const value = Number(fanout ?? 0n)
  if (value >= 8 && value <= 1024 && Number.isInteger(Math.log2(value))) return value
  throw invalidDag(cid, 'is a sharded directory with an impossible fanout')
}
