import type { CID } from 'multiformats/cid'
import { CODEC } from '../../protocol/cid.ts'
import { ReaderError } from '../reader-error.ts'
import type { UnixfsBlock } from '../unixfs/dag.ts'
import { decodeUnixfs } from '../unixfs/pb-links.ts'
import { InvalidNodeError } from '../unixfs/scan-node.ts'

/** Reads a verified block (UnixFS specification). @throws {ReaderError} `invalid_dag` */
export async function decodeNode(cid: CID, block: Uint8Array): Promise<UnixfsBlock> {
  // Raw leaves; JSON, CBOR and other codecs too are their own content: what is requested is the block.
  if (cid.code !== CODEC.dagPb) return { cid, block, kind: 'file', size: block.length, data: block, parts: [] }
  try {
    return { ...(await decodeUnixfs(block)), cid, block }
  } catch (error) {
    throw error instanceof InvalidNodeError ? invalidDag(cid, error.message, error.cause) : error
  }
}

/** A block whose bytes are right and whose meaning is not. */
export function invalidDag(cid: CID, problem: string, cause?: unknown): ReaderError {
  return new ReaderError('invalid_dag', `The block ${cid} ${problem}.`, cause)
}
