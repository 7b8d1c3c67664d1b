import type { UnixFS } from '@helia/unixfs'
import type { CID } from 'multiformats/cid'
import { concatBytes } from '../../protocol/bytes.ts'
import { CODEC } from '../../protocol/cid.ts'
import type { CarRequest } from '../../reader/ipfs/car-reader.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { GuardedBlocks } from './guarded-blocks.ts'

/** Limit in bytes of one file, and of all files of one site. */
export const MAX_BYTES = 128 << 20
/** Concurrent block requests for a file. Without a limit a node requests everything it links to. */
const BLOCKS_AT_A_TIME = 8

/** What one file is read with: through `fs`, whose blocks are `blocks`. */
export interface DagReader {
  blocks: GuardedBlocks
  fs: UnixFS
  /** Says what is read next, so that it can be requested at once. */
  expect(plan: CarRequest): void
}

/**
 * The bytes of a file. Blocks that are not UnixFS (JSON, CBOR …) are their own content.
 * @throws {ReaderError}
 */
export async function readFile(
  { blocks, fs }: Pick<DagReader, 'blocks' | 'fs'>,
  cid: CID,
  maxBytes = MAX_BYTES,
): Promise<Uint8Array> {
  if (cid.code !== CODEC.dagPb) return blocks.get(cid)
  const { type, size, unixfs } = await fs.stat(cid)
  if (unixfs?.type === 'symlink') throw new ReaderError('unsupported', 'Symbolic links are not followed.')
  if (type === 'directory') throw new ReaderError('not_a_file', `${cid} is a directory; name a file in it.`)
  if (size > maxBytes) throw new ReaderError('too_large', `${cid} is larger than ${maxBytes} bytes.`)
  const parts = new Pieces()
  const options = { offset: 0, length: Number(size), blockReadConcurrency: BLOCKS_AT_A_TIME }
  for await (const part of fs.cat(cid, options)) parts.push(part)
  return parts.join()
}

/** Bytes of a file of several blocks; undefined for one that is a single block, and for what is no file. */
export async function sizeOfFile({ fs }: Pick<DagReader, 'fs'>, cid: CID): Promise<number | undefined> {
  if (cid.code !== CODEC.dagPb) return undefined
  const { type, size } = await fs.stat(cid)
  return type === 'file' ? Number(size) : undefined
}

/** The bytes of a file from `start` to `end`, both included; only their blocks are read. @throws {ReaderError} */
export async function readRange(
  { fs }: Pick<DagReader, 'fs'>,
  cid: CID,
  start: number,
  end: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const options = { offset: start, length: end - start + 1, blockReadConcurrency: BLOCKS_AT_A_TIME }
  for await (const part of fs.cat(cid, options)) parts.push(part)
  const bytes = concatBytes(parts)
  if (bytes.length === end - start + 1) return bytes
  throw new ReaderError('incomplete', `${cid} has fewer bytes than it claims.`)
}

/** The last pieces that a new piece is compared with. */
const LAST = 16

/** The pieces of a file. Equal ones are stored once, because a repeated block arrives as a copy each time. */
class Pieces {
  readonly #all: Uint8Array[] = []
  #last: Uint8Array[] = []

  push(piece: Uint8Array): void {
    const same = this.#last.find((one) => equal(one, piece))
    this.#all.push(same ?? piece)
    if (!same) this.#last = [piece, ...this.#last].slice(0, LAST)
  }

  join(): Uint8Array {
    return concatBytes(this.#all)
  }
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  // A plain loop: `every` takes ten times as long.
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}
