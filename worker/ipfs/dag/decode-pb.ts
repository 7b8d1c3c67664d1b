import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { returnToEventLoop } from '../../flow/budget.ts'
import { invalidDag } from './invalid-dag.ts'
import { scanProtobuf } from './scan-protobuf.ts'

/** Links decoded before others have their turn: some 3 ms. */
const PORTION = 1024

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
  // Counted first: a block full of lengths would be a million numbers.
  if (countLengths(data) > links.length) throw invalidDag(cid, 'says how long parts are that it does not have')
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
    if (number === 1 && node.data) throw invalidDag(cid, 'is not dag-pb: it has its data twice')
    if (number === 1) node.data = block.subarray(start, end)
    else if (node.bounds.length === 0) node.bounds = [from, end]
    else if (node.bounds.at(-1) === from) node.bounds.push(end)
    else throw invalidDag(cid, 'is not dag-pb: its links are not in one row')
  })
  if (!whole) throw invalidDag(cid, 'is not dag-pb')
  return node
}

/** How many lengths of parts a UnixFS message has, one by one or packed. */
function countLengths(data: Uint8Array): number {
  const LENGTHS = 4
  let count = 0
  scanProtobuf(data, ({ number, wireType, start, end }) => {
    if (number !== LENGTHS) return
    if (wireType !== 2) count++
    else for (let at = start; at < end; at++) if ((data[at] ?? 0) < 0x80) count++
  })
  return count
}

function attempt<T>(cid: CID, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    throw invalidDag(cid, 'is not UnixFS', cause)
  }
}
