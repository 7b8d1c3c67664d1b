import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { type UnixfsNode, unixfsNode } from '../../protocol/unixfs-node.ts'
import { ReaderError } from '../reader-error.ts'

/** A block as UnixFS has it. */
export type DagNode = { cid: CID } & UnixfsNode

export type FileNode = Extract<DagNode, { kind: 'file' }>
export type ShardNode = Extract<DagNode, { kind: 'shard' }>

/** Reads a verified block (UnixFS specification). @throws {ReaderError} `unsupported` or `invalid_dag` */
export function decodeNode(cid: CID, block: Uint8Array): DagNode {
  // Raw leaves; JSON, CBOR and other codecs too are their own content: what is asked for is the block.
  if (cid.code !== dagPb.code) return { kind: 'file', cid, size: block.length, data: block, parts: [] }
  const { Data, Links } = attempt(cid, () => dagPb.decode(block))
  const unixfs = attempt(cid, () => UnixFS.unmarshal(Data ?? new Uint8Array()))
  const links = Links.map(({ Name = '', Hash, Tsize }) => ({ name: Name, cid: Hash, size: Tsize }))
  const node = unixfsNode(unixfs, links)
  if (node.kind === 'invalid') throw invalidDag(cid, node.problem)
  if (node.kind === 'unknown') {
    throw new ReaderError('unsupported', `The block ${cid} is UnixFS of type ${node.type}.`)
  }
  return { ...node, cid }
}

/** A block whose bytes are right and whose meaning is not. */
export function invalidDag(cid: CID, problem: string, cause?: unknown): ReaderError {
  return new ReaderError('invalid_dag', `The block ${cid} ${problem}.`, cause)
}

function attempt<T>(cid: CID, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    throw invalidDag(cid, 'is not UnixFS', cause)
  }
}
