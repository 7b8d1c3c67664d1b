import { UnixFS } from 'ipfs-unixfs'
import { concatBytes } from '../../protocol/bytes.ts'
import { readVarint, scanProtobuf } from './scan-protobuf.ts'
import type { UnixfsHead } from './unixfs-node.ts'

/**
 * The most links that fit a block of 2 MiB with hashes of 32 bytes; more are only possible with identity CIDs. They are
 * counted, in 3 ms at most, before one is decoded: decoding so many needs 100 ms and 26 MB.
 */
export const MAX_LINKS = 50_000
/** The most fields of a UnixFS message other than the lengths of its parts: the known ones, and a few unknown ones. */
const MAX_OTHER_FIELDS = 64

/** The bytes of a block are right and its meaning is not; the message reads on from "The block <cid>". */
export class InvalidNodeError extends Error {
  override name = 'InvalidNodeError'
}

/** Where a dag-pb block has what. Nothing of it is decoded. */
export interface PbLayout {
  /** The UnixFS message, where it is one. */
  data: Uint8Array
  /** Where each link begins, its tag included, and where the last one ends; empty without links. */
  bounds: readonly number[]
}

/**
 * Finds the links of a dag-pb block, which are in one row before or after the data (DAG-PB specification, "Serial
 * format"). @throws {InvalidNodeError} for what is not dag-pb, and for more than {@link MAX_LINKS}
 */
export function scanPb(block: Uint8Array): PbLayout {
  const [DATA, LINK] = [1, 2]
  const bounds: number[] = []
  let data: Uint8Array | undefined
  const stopped = scanProtobuf(block, ({ number, wireType, tagStart, valueStart, end }) => {
    if (wireType !== 2 || (number !== DATA && number !== LINK)) throw new InvalidNodeError('is not dag-pb')
    if (number === DATA) {
      if (data) throw new InvalidNodeError('is not dag-pb: it has its data twice')
      data = block.subarray(valueStart, end)
      return
    }
    if (bounds.length > MAX_LINKS) throw new InvalidNodeError(`has more than ${MAX_LINKS} links`)
    if (bounds.length === 0) bounds.push(tagStart)
    if (bounds.at(-1) !== tagStart) throw new InvalidNodeError('is not dag-pb: its links are not in one row')
    bounds.push(end)
  })
  if (stopped === undefined) throw new InvalidNodeError('is not dag-pb')
  return { data: data ?? new Uint8Array(0), bounds }
}

/**
 * The UnixFS node of a dag-pb block, and the positions of its links. All checks that must precede decoding are done here, for
 * example more links than a shard has places, or another number of part lengths than links.
 * @throws {InvalidNodeError} if a check fails, or the block is no dag-pb or no UnixFS
 */
export function scanNode(block: Uint8Array): { head: UnixfsHead; bounds: readonly number[] } {
  const { data: message, bounds } = scanPb(block)
  const links = Math.max(0, bounds.length - 1)
  const { unixfs, blockSizes } = readMessage(message, links)
  return { head: headOf(unixfs, blockSizes, links), bounds }
}

function headOf(unixfs: UnixFS, blockSizes: readonly number[], links: number): UnixfsHead {
  const data = unixfs.data ?? new Uint8Array(0)
  switch (unixfs.type) {
    case 'directory':
      return { kind: 'directory' }
    case 'hamt-sharded-directory': {
      const fanout = Number(unixfs.fanout ?? 0n)
      if (!(fanout >= 8 && fanout <= 1024 && Number.isInteger(Math.log2(fanout)))) {
        throw new InvalidNodeError('is a sharded directory with an impossible fanout')
      }
      if (links <= fanout) return { kind: 'shard', fanout }
      throw new InvalidNodeError('is a sharded directory with more links than its fanout')
    }
    case 'symlink':
      return { kind: 'symlink', target: data }
    case 'file':
    case 'raw': {
      if (blockSizes.length !== links) throw new InvalidNodeError('does not say how long its parts are')
      const size = blockSizes.reduce((sum, one) => sum + one, data.length)
      if (!Number.isSafeInteger(size)) throw new InvalidNodeError('claims an impossible size')
      return { kind: 'file', size, data, blockSizes }
    }
    default:
      throw new InvalidNodeError(`is UnixFS of type ${unixfs.type}, which is nothing to show`)
  }
}

/**
 * Reads a UnixFS message. The lengths of parts, one by one or packed and not exact from 2^53 on, are read here: the
 * library knows no packed ones, and no bound.
 */
function readMessage(bytes: Uint8Array, links: number): { unixfs: UnixFS; blockSizes: number[] } {
  const LENGTHS = 4
  const blockSizes: number[] = []
  const others: Uint8Array[] = []
  const addLength = (at: number, end: number): number => {
    const varint = readVarint(bytes, at, end)
    if (!varint) throw new InvalidNodeError('is not UnixFS')
    if (blockSizes.push(varint.value) > links) {
      throw new InvalidNodeError('says how long parts are that it does not have')
    }
    return varint.end
  }
  const stopped = scanProtobuf(bytes, ({ number, wireType, tagStart, valueStart, end }) => {
    if (number !== LENGTHS) {
      if (others.push(bytes.subarray(tagStart, end)) > MAX_OTHER_FIELDS) {
        throw new InvalidNodeError('has more fields than UnixFS has')
      }
    } else if (wireType === 0) addLength(valueStart, end)
    else if (wireType === 2) for (let at = valueStart; at < end; ) at = addLength(at, end)
    else throw new InvalidNodeError('is not UnixFS')
  })
  if (stopped === undefined) throw new InvalidNodeError('is not UnixFS')
  try {
    return { unixfs: UnixFS.unmarshal(concatBytes(others)), blockSizes }
  } catch (cause) {
    throw new InvalidNodeError('is not UnixFS', { cause })
  }
}
