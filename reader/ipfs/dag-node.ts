import type { CID } from 'multiformats/cid'
import { CODEC } from '../../protocol/cid.ts'
import { ReaderError } from '../reader-error.ts'
import { decodeUnixfs } from '../unixfs/pb-links.ts'
import { InvalidNodeError } from '../unixfs/scan-node.ts'
import type { UnixfsNode } from '../unixfs/unixfs-node.ts'

/** A block as UnixFS has it. */
export type DagNode = { cid: CID } & UnixfsNode

export type FileNode = Extract<DagNode, { kind: 'file' }>
export type ShardNode = Extract<DagNode, { kind: 'shard' }>

/** Reads a verified block (UnixFS specification). @throws {ReaderError} `invalid_dag` */
export async function decodeNode(cid: CID, block: Uint8Array): Promise<DagNode> {
  // Raw leaves; JSON, CBOR and other codecs too are their own content: what is asked for is the block.
  if (cid.code !== CODEC.dagPb) return { kind: 'file', cid, size: block.length, data: block, parts: [] }
  try {
    return { ...(await decodeUnixfs(block)), cid }
  } catch (error) {
    throw error instanceof InvalidNodeError ? invalidDag(cid, error.message, error.cause) : error
  }
}

/** A block whose bytes are right and whose meaning is not. */
export function invalidDag(cid: CID, problem: string, cause?: unknown): ReaderError {
  return new ReaderError('invalid_dag', `The block ${cid} ${problem}.`, cause)
}
