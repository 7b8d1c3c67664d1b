import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { ReaderError } from '../reader-error.ts'

/** A part of a file: the block it begins in, and how many bytes of the file it stands for. */
export interface FilePart {
  cid: CID
  size: number
}

export interface DirectoryLink {
  name: string
  cid: CID
}

/** A block as UnixFS has it. */
export type DagNode =
  | { kind: 'file'; cid: CID; size: number; data: Uint8Array; parts: FilePart[] }
  | { kind: 'directory'; cid: CID; links: DirectoryLink[] }
  | { kind: 'shard'; cid: CID; links: DirectoryLink[]; fanout: number }
  | { kind: 'symlink'; cid: CID }

export type FileNode = Extract<DagNode, { kind: 'file' }>
export type ShardNode = Extract<DagNode, { kind: 'shard' }>

/** Reads a verified block (UnixFS specification). @throws {ReaderError} `unsupported` or `invalid_dag` */
export function decodeNode(cid: CID, block: Uint8Array): DagNode {
  // Raw leaves; JSON, CBOR and other codecs too are their own content: what is asked for is the block.
  if (cid.code !== dagPb.code) return { kind: 'file', cid, size: block.length, data: block, parts: [] }
  const { Data, Links } = attempt(cid, () => dagPb.decode(block))
  const unixfs = attempt(cid, () => UnixFS.unmarshal(Data ?? new Uint8Array()))
  const links = () => Links.map((link) => ({ name: link.Name ?? '', cid: link.Hash }))
  switch (unixfs.type) {
    case 'directory':
      return { kind: 'directory', cid, links: links() }
    case 'hamt-sharded-directory':
      return { kind: 'shard', cid, links: links(), fanout: checkFanout(cid, unixfs.fanout) }
    case 'symlink':
      return { kind: 'symlink', cid }
    case 'file':
    case 'raw': {
      if (unixfs.blockSizes.length !== Links.length) throw invalidDag(cid, 'does not say how long its parts are')
      const data = unixfs.data ?? new Uint8Array()
      const parts = Links.map((link, index) => ({ cid: link.Hash, size: Number(unixfs.blockSizes[index]) }))
      const size = parts.reduce((sum, part) => sum + part.size, data.length)
      if (!Number.isSafeInteger(size)) throw invalidDag(cid, 'claims an impossible size')
      return { kind: 'file', cid, size, data, parts }
    }
    default:
      throw new ReaderError('unsupported', `The block ${cid} is UnixFS of type ${unixfs.type}.`)
  }
}

/** A block whose bytes are right and whose meaning is not. */
export function invalidDag(cid: CID, problem: string, cause?: unknown): ReaderError {
  return new ReaderError('invalid_dag', `The block ${cid} ${problem}.`, cause)
}

function checkFanout(cid: CID, fanout: bigint | undefined): number {
  const value = Number(fanout ?? 0n)
  if (value >= 8 && value <= 1024 && Number.isInteger(Math.log2(value))) return value
  throw invalidDag(cid, 'is a sharded directory with an impossible fanout')
}

function attempt<T>(cid: CID, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    throw invalidDag(cid, 'is not UnixFS', cause)
  }
}
