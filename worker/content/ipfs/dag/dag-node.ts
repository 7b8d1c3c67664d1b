import type { CID } from 'multiformats/cid'
import { CODEC } from '../../../../protocol/cid.ts'
import { decodeUnixfs, type Pause } from '../../../../reader/unixfs/pb-links.ts'
import type { UnixfsNode } from '../../../../reader/unixfs/unixfs-node.ts'
import { shareEventLoop } from '../../../platform/flow/budget.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { asInvalidDag } from './invalid-dag.ts'

/** A block as the gateway reads it. `block` is always the verified bytes of the whole block. */
export type DagNode = { cid: CID; block: Uint8Array } & (
  | UnixfsNode
  /** JSON or CBOR, plain or with links (`dag-`). */
  | { kind: 'data'; codec: 'json' | 'cbor' | 'dag-json' | 'dag-cbor' }
  /** Nothing that can be read here; as a block it can still be had. */
  | { kind: 'opaque'; problem: AppError }
)

/** Bytes of a node and everything below it, as stated by its publisher; 0 if not stated. */
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

/** Reads a block by the codec of its CID (UnixFS specification; dag-pb with its fields in either order). */
export async function decodeNode(cid: CID, block: Uint8Array): Promise<DagNode> {
  if (cid.code === CODEC.raw) return { cid, block, kind: 'file', size: block.byteLength, data: block, parts: [] }
  const codec = DATA_CODECS.get(cid.code)
  if (codec) return { cid, block, kind: 'data', codec }
  if (cid.code === CODEC.dagPb) return decodePb(cid, block)
  const message = `The codec 0x${cid.code.toString(16)} cannot be read here; ask for the block with ?format=raw.`
  return { cid, block, kind: 'opaque', problem: new AppError(400, 'unsupported_codec', message) }
}

/** What a portion of links that are decoded is counted as, in units of a budget. */
const PORTION_UNITS = 16

/** Lets others have their turn before the next portion of a block's links. */
export const pause: Pause = () => shareEventLoop(PORTION_UNITS)

async function decodePb(cid: CID, block: Uint8Array): Promise<DagNode> {
  try {
    return { ...(await decodeUnixfs(block, pause)), cid, block }
  } catch (error) {
    return { cid, block, kind: 'opaque', problem: asInvalidDag(cid, error) }
  }
}
