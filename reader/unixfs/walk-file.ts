import type { CID } from 'multiformats/cid'
import { readAhead } from '../read-ahead.ts'
import type { CidSet, Dag, FileNode } from './dag.ts'
import type { FilePart } from './unixfs-node.ts'

/** Bytes of a file, the first and the last one included. */
export interface FileRange {
  start: number
  end: number
}

/** One block of a file on the way through it, with the bytes of the file that it holds within the range. */
export interface FileStep {
  cid: CID
  block: Uint8Array
  data: Uint8Array
  /** Whether nothing is read from the block later on. */
  isLeaf: boolean
}

/** A part of a file, with the place in the file where it begins. */
export interface PlacedPart {
  part: FilePart
  start: number
}

/** Parts that are scanned before other work may run: some 0.5 ms. */
const PORTION = 128

/**
 * The blocks of a file with bytes of `range`, depth first; the next few are read while the caller is busy.
 * `ipfs-unixfs-exporter` would return the bytes, but neither the blocks for a CAR nor backpressure. A part that is longer or
 * shorter than its parent says is an error, because `Content-Length` was already sent. With `seen`, a part that was walked
 * completely is not walked again, for callers that need each block once. @throws what `dag` throws
 */
export async function* walkFile(
  dag: Dag,
  node: FileNode,
  range: FileRange,
  seen?: CidSet,
  depth = 0,
): AsyncGenerator<FileStep, undefined> {
  if (depth > dag.maxDepth) throw dag.invalid(node.cid, `is more than ${dag.maxDepth} levels deep`)
  yield { cid: node.cid, block: node.block, data: slice(node.data, range), isLeaf: node.parts.length === 0 }
  const parts = seen ? await withoutSeen(dag, partsWithin(node, range), range, seen) : partsWithin(node, range)
  const children = readAhead(parts, dag.ahead, async ({ part, start }) => ({ child: await readPart(dag, part), start }))
  for await (const { child, start } of children) {
    yield* walkFile(dag, child, { start: range.start - start, end: range.end - start }, seen, depth + 1)
  }
  return undefined
}

/** Those parts that were not walked whole before. */
async function withoutSeen(dag: Dag, parts: PlacedPart[], range: FileRange, seen: CidSet): Promise<PlacedPart[]> {
  const left: PlacedPart[] = []
  for (const [index, placed] of parts.entries()) {
    if (index % PORTION === PORTION - 1) await dag.pause?.()
    const { part, start } = placed
    const whole = start >= range.start && start + part.size - 1 <= range.end
    if (!whole || seen.add(part.cid)) left.push(placed)
  }
  return left
}

/** The node of a part of a file. @throws what `dag` throws, also for a node of no file, or one of another length than its parent says */
export async function readPart(dag: Dag, part: FilePart): Promise<FileNode> {
  const { cid, size } = part
  const child = await dag.read(cid)
  if (child.kind === 'opaque') throw child.problem
  if (child.kind !== 'file') throw dag.invalid(cid, 'is no part of a file')
  if (child.size !== size) throw dag.invalid(cid, 'is not as long as its parent says')
  return child
}

/** The parts that hold bytes of `range`. */
export function partsWithin(node: FileNode, range: FileRange): PlacedPart[] {
  const found = []
  let start = node.data.byteLength
  for (const part of node.parts) {
    const end = start + part.size
    if (part.size > 0 && end > range.start && start <= range.end) found.push({ part, start })
    start = end
  }
  return found
}

function slice(data: Uint8Array, range: FileRange): Uint8Array {
  return data.subarray(Math.max(0, range.start), Math.max(0, range.end + 1))
}
