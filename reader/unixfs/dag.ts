import type { CID } from 'multiformats/cid'
import type { ReadAheadPermits } from '../read-ahead.ts'
import type { UnixfsNode } from './unixfs-node.ts'

/** A block that is UnixFS; `block` is the verified bytes of the whole block. */
export type UnixfsBlock = { cid: CID; block: Uint8Array } & UnixfsNode

export type FileNode = Extract<UnixfsBlock, { kind: 'file' }>
export type ShardNode = Extract<UnixfsBlock, { kind: 'shard' }>
export type DirectoryNode = Extract<UnixfsBlock, { kind: 'directory' | 'shard' }>

/** A block that is not UnixFS: a value of JSON or CBOR, or nothing that can be read, with the error that says so. */
type OtherBlock = { kind: 'data' } | { kind: 'opaque'; problem: Error }

/** CIDs that were seen. */
export interface CidSet {
  /** Whether it is seen for the first time. */
  add(cid: CID): boolean
}

/** The blocks of a DAG as nodes, with the reader's limits and errors. */
export interface Dag {
  /** Reads a block and counts it. @throws what its source and its budget throw */
  read(cid: CID): Promise<UnixfsBlock | OtherBlock>
  /** Blocks that may be requested before their turn, over all levels of a walk: each is held until then. */
  readonly ahead: ReadAheadPermits
  /** Levels of a file. */
  readonly maxDepth: number
  /** The error for a block whose bytes are right and whose meaning is not; `problem` reads on from "The block <cid>". */
  invalid(cid: CID, problem: string): Error
  /** Awaited between portions of work on one block, so that others may have their turn. */
  pause?: () => Promise<void> | undefined
}
