import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { concatBytes } from '../../../protocol/bytes.ts'
import { shareEventLoop } from '../../flow/budget.ts'
import { invalidDag } from './invalid-dag.ts'
import { type PbLink, readPbLink } from './pb-link.ts'
import { type ProtobufField, readVarint, scanProtobuf } from './scan-protobuf.ts'

/** Links read, and fields looked at, before others may have their turn: some 0.4 ms. */
const PORTION = 256
const SCANNED = 2048
/** What either is counted as, in units of a budget. */
const PORTION_UNITS = 8

/** What a block of 2 MiB has room for with hashes of 32 bytes; more are links to nothing, with the bytes in the CID. */
const MAX_LINKS = 50_000
/** Fields that a UnixFS message has beside the lengths of its parts: a few, and a few that nobody knows. */
const MAX_OTHER_FIELDS = 64

/** A dag-pb block whose links are not decoded yet. */
interface PbNode {
  data: Uint8Array | undefined
  /** Where each link begins and the last one ends, its tag included, and where its value begins. */
  bounds: number[]
  starts: number[]
}

/**
 * The links of a dag-pb block in portions, for a block may hold tens of thousands.
 * @throws {AppError} 422 for what is not dag-pb.
 */
export async function* pbLinks(cid: CID, block: Uint8Array): AsyncGenerator<PbLink[]> {
  yield* decodeLinks(cid, block, await scanNode(cid, block))
}

/** Looks at where the links of a dag-pb block lie. @throws {AppError} 422 for what is not dag-pb, or has too many. */
export async function requirePb(cid: CID, block: Uint8Array): Promise<void> {
  await scanNode(cid, block)
}

export interface DecodedPb {
  /** Without the lengths of the parts of a file. */
  unixfs: UnixFS
  /** The lengths of the parts of a file, not exact from 2^53 on. */
  blockSizes: number[]
  links: PbLink[]
}

/** A dag-pb block as UnixFS. @throws {AppError} 422 for what is neither. */
export async function decodePb(cid: CID, block: Uint8Array): Promise<DecodedPb> {
  const node = await scanNode(cid, block)
  const links: PbLink[] = []
  for await (const portion of decodeLinks(cid, block, node)) links.push(...portion)
  const { others, blockSizes } = await readLengths(cid, node.data ?? new Uint8Array(0), links.length)
  return { unixfs: unmarshal(cid, others), blockSizes, links }
}

async function* decodeLinks(cid: CID, block: Uint8Array, { bounds, starts }: PbNode): AsyncGenerator<PbLink[]> {
  for (let index = 0; index < starts.length; index += PORTION) {
    if (index > 0) await shareEventLoop(PORTION_UNITS)
    yield starts.slice(index, index + PORTION).map((start, place) => {
      const link = readPbLink(block, start, bounds[index + place + 1] ?? 0)
      if (!link) throw invalidDag(cid, 'is not dag-pb: a link of it is none')
      return link
    })
  }
}

/** dag-pb has its links in one row, before or after the data (DAG-PB specification, "Serial format"). */
async function scanNode(cid: CID, block: Uint8Array): Promise<PbNode> {
  const node: PbNode = { data: undefined, bounds: [], starts: [] }
  const { bounds, starts } = node
  const [DATA, LINK] = [1, 2]
  await scanInPortions(cid, block, ({ number, wireType, from, start, end }) => {
    if (wireType !== 2 || (number !== DATA && number !== LINK)) throw invalidDag(cid, 'is not dag-pb')
    if (number === DATA) {
      if (node.data) throw invalidDag(cid, 'is not dag-pb: it has its data twice')
      node.data = block.subarray(start, end)
      return
    }
    if (starts.length === MAX_LINKS) throw invalidDag(cid, `has more than ${MAX_LINKS} links`)
    if (starts.length === 0) bounds.push(from)
    if (bounds.at(-1) !== from) throw invalidDag(cid, 'is not dag-pb: its links are not in one row')
    bounds.push(end)
    starts.push(start)
  })
  return node
}

/**
 * Reads the lengths of parts of a UnixFS message, one by one or packed, and returns what else is in it.
 * @throws {AppError} 422 for more than parts, at once.
 */
async function readLengths(
  cid: CID,
  data: Uint8Array,
  parts: number,
): Promise<{ blockSizes: number[]; others: Uint8Array }> {
  const LENGTHS = 4
  const blockSizes: number[] = []
  const others: Uint8Array[] = []
  const addLength = (at: number, end: number): number => {
    const varint = readVarint(data, at, end)
    if (!varint) throw invalidDag(cid, 'is not UnixFS')
    if (blockSizes.push(varint.value) > parts) throw invalidDag(cid, 'says how long parts are that it does not have')
    return varint.end
  }
  await scanInPortions(cid, data, ({ number, wireType, from, start, end }) => {
    if (number !== LENGTHS) {
      if (others.push(data.subarray(from, end)) > MAX_OTHER_FIELDS) {
        throw invalidDag(cid, 'has more fields than UnixFS has')
      }
    } else if (wireType === 0) addLength(start, end)
    else if (wireType === 2) for (let at = start; at < end; ) at = addLength(at, end)
    else throw invalidDag(cid, 'is not UnixFS')
  })
  return { blockSizes, others: concatBytes(others) }
}

/** Scans a message portion by portion. @throws {AppError} 422 for what is none. */
async function scanInPortions(cid: CID, bytes: Uint8Array, visit: (field: ProtobufField) => void): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) {
    if (at > 0) await shareEventLoop(PORTION_UNITS)
    const next = scanProtobuf(bytes, visit, { start: at, fields: SCANNED })
    if (next === undefined) throw invalidDag(cid, 'is not dag-pb')
    at = next
  }
}

function unmarshal(cid: CID, data: Uint8Array): UnixFS {
  try {
    return UnixFS.unmarshal(data)
  } catch (cause) {
    throw invalidDag(cid, 'is not UnixFS', cause)
  }
}
