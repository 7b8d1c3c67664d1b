import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { returnToEventLoop } from '../../flow/budget.ts'
import { invalidDag } from './invalid-dag.ts'
import { scanProtobuf } from './scan-protobuf.ts'

/** Links decoded before others have their turn: some 2 ms, and as much again where garbage is collected. */
const PORTION = 512

/** The least that a link takes that has a CID, in bytes: of an empty identity CID. */
const MIN_LINK_BYTES = 8
/** Fields that a UnixFS message has beside the lengths of its parts: a few, and a few that nobody knows. */
const MAX_OTHER_FIELDS = 64

/** A dag-pb block whose links are not decoded yet. */
interface PbNode {
  data: Uint8Array | undefined
  /** Where each link begins and the last one ends. */
  bounds: number[]
}

/**
 * The links of a dag-pb block in portions, for a block may hold tens of thousands.
 * @throws {AppError} 422 for what is not dag-pb.
 */
export async function* pbLinks(cid: CID, block: Uint8Array): AsyncGenerator<dagPb.PBLink[]> {
  yield* decodeLinks(cid, block, scanNode(cid, block).bounds)
}

export interface DecodedPb {
  unixfs: UnixFS
  links: dagPb.PBLink[]
}

/** A dag-pb block as UnixFS. @throws {AppError} 422 for what is neither. */
export async function decodePb(cid: CID, block: Uint8Array): Promise<DecodedPb> {
  const { data = new Uint8Array(0), bounds } = scanNode(cid, block)
  const links: dagPb.PBLink[] = []
  for await (const portion of decodeLinks(cid, block, bounds)) links.push(...portion)
  if (links.length > PORTION) await returnToEventLoop()
  // Counted first: a block full of lengths would be a million numbers.
  checkLengths(cid, data, links.length)
  return { unixfs: attempt(cid, () => UnixFS.unmarshal(data)), links }
}

async function* decodeLinks(cid: CID, block: Uint8Array, bounds: number[]): AsyncGenerator<dagPb.PBLink[]> {
  for (let index = 0; index < bounds.length - 1; index += PORTION) {
    if (index > 0) await returnToEventLoop()
    const part = block.subarray(bounds[index], bounds[Math.min(index + PORTION, bounds.length - 1)])
    yield attempt(cid, () => dagPb.decode(part)).Links
  }
}

/** dag-pb has its links in one row, before or after the data (DAG-PB specification, "Serial format"). */
function scanNode(cid: CID, block: Uint8Array): PbNode {
  const node: PbNode = { data: undefined, bounds: [] }
  const whole = scanProtobuf(block, ({ number, wireType, from, start, end }) => {
    if (wireType !== 2 || (number !== 1 && number !== 2)) throw invalidDag(cid, 'is not dag-pb')
    if (number === 2 && end - from < MIN_LINK_BYTES) throw invalidDag(cid, 'is not dag-pb: a link has no CID')
    if (number === 1 && node.data) throw invalidDag(cid, 'is not dag-pb: it has its data twice')
    if (number === 1) node.data = block.subarray(start, end)
    else if (node.bounds.length === 0) node.bounds = [from, end]
    else if (node.bounds.at(-1) === from) node.bounds.push(end)
    else throw invalidDag(cid, 'is not dag-pb: its links are not in one row')
  })
  if (!whole) throw invalidDag(cid, 'is not dag-pb')
  return node
}

/** Counts the lengths of parts of a UnixFS message, one by one or packed. @throws {AppError} 422 for more than parts, at once. */
function checkLengths(cid: CID, data: Uint8Array, parts: number): void {
  const LENGTHS = 4
  let fields = 0
  let lengths = 0
  scanProtobuf(data, ({ number, wireType, start, end }) => {
    if (++fields > parts + MAX_OTHER_FIELDS) throw invalidDag(cid, 'has more fields than UnixFS has')
    if (number !== LENGTHS) return
    if (wireType !== 2) lengths++
    else for (let at = start; at < end && lengths <= parts; at++) if ((data[at] ?? 0) < 0x80) lengths++
    if (lengths > parts) throw invalidDag(cid, 'says how long parts are that it does not have')
  })
}

function attempt<T>(cid: CID, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    throw invalidDag(cid, 'is not UnixFS', cause)
  }
}
