import type { CID } from 'multiformats/cid'
import type { FilePart } from '../../../reader/unixfs/unixfs-node.ts'
import { shareEventLoop } from '../../flow/budget.ts'
import { readAhead } from '../../flow/read-ahead.ts'
import type { ByteRange } from '../../http/parse-range.ts'
import { cidKey } from '../blocks/block-key.ts'
import type { BlockSource } from '../blocks/block-store.ts'
import { type DagNode, readNode } from './dag-node.ts'
import { invalidDag } from './invalid-dag.ts'

export type FileNode = Extract<DagNode, { kind: 'file' }>

/** One block of a file on the way through it, with the bytes of the file that it holds within the range. */
export interface FileStep {
  cid: CID
  block: Uint8Array
  data: Uint8Array
}

/** Deeper than any chunker builds: at 174 links a level, 8 levels hold more than an exabyte. */
const MAX_DEPTH = 32

/** Parts looked at before others may have their turn: some 1 ms, so many units of a budget. */
const PORTION = 256
const PORTION_UNITS = 16

/**
 * Walks the blocks of a file depth first, those that hold bytes of `range` and no others, and asks for the next
 * few while the reader is busy. `ipfs-unixfs-exporter` would give the bytes, but neither the blocks that a CAR is
 * made of nor backpressure. A part that is longer or shorter than its parent says is an error: what has been
 * promised in `Content-Length` is what comes. With `seen`, a part that was walked from its first to its last byte is
 * not walked again, where each block is wanted once.
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function* walkFile(
  source: BlockSource,
  node: FileNode,
  range: ByteRange,
  seen?: Set<string>,
  depth = 0,
): AsyncGenerator<FileStep> {
  if (depth > MAX_DEPTH) throw invalidDag(node.cid, `is more than ${MAX_DEPTH} levels deep`)
  yield { cid: node.cid, block: node.block, data: slice(node.data, range) }
  const parts = seen ? await withoutSeen(partsWithin(node, range), range, seen) : partsWithin(node, range)
  const children = readAhead(parts, source.ahead, async ({ part, start }) => ({
    child: await readPart(source, part),
    start,
  }))
  for await (const { child, start } of children) {
    yield* walkFile(source, child, { start: range.start - start, end: range.end - start }, seen, depth + 1)
  }
}

type PlacedPart = ReturnType<typeof partsWithin>[number]

/** Those parts that were not walked whole before. */
async function withoutSeen(parts: PlacedPart[], range: ByteRange, seen: Set<string>): Promise<PlacedPart[]> {
  const left: PlacedPart[] = []
  for (const [index, placed] of parts.entries()) {
    if (index % PORTION === PORTION - 1) await shareEventLoop(PORTION_UNITS)
    const { part, start } = placed
    const whole = start >= range.start && start + part.size - 1 <= range.end
    const key = whole ? cidKey(part.cid) : undefined
    if (key !== undefined && seen.has(key)) continue
    if (key !== undefined) seen.add(key)
    left.push(placed)
  }
  return left
}

async function readPart(source: BlockSource, part: FilePart): Promise<FileNode> {
  const child = await readNode(source, part.cid)
  if (child.kind === 'opaque') throw child.problem
  if (child.kind !== 'file') throw invalidDag(part.cid, 'is no part of a file')
  if (child.size !== part.size) throw invalidDag(part.cid, 'is not as long as its parent says')
  return child
}

/**
 * The bytes of `range` of a file, in order, at most one block at a time. What is cut too fine to be sent whole is
 * refused before its first byte.
 * @throws {AppError} as `walkFile` does, and 422.
 */
export async function* readFile(source: BlockSource, node: FileNode, range: ByteRange): AsyncGenerator<Uint8Array> {
  await checkRange(source, node, range)
  for await (const { data } of walkFile(source, node, range)) if (data.byteLength > 0) yield data
}

/** Judges the blocks that a range needs by the first of them: files are cut into pieces of one size. */
async function checkRange(source: BlockSource, node: FileNode, range: ByteRange): Promise<void> {
  const bytes = range.end - range.start + 1
  let first = node
  let offset = range.start
  for (let depth = 0; first.data.byteLength <= offset && depth <= MAX_DEPTH; depth++) {
    const [next] = partsWithin(first, { start: offset, end: offset })
    if (!next) break
    first = await readPart(source, next.part)
    offset -= next.start
  }
  source.budget.check(bytes, bytes / Math.max(1, first.data.byteLength))
}

function slice(data: Uint8Array, range: ByteRange): Uint8Array {
  return data.subarray(Math.max(0, range.start), Math.max(0, range.end + 1))
}

/** The parts that hold bytes of `range`, with the place in the file where each begins. */
function partsWithin(node: FileNode, range: ByteRange): { part: FilePart; start: number }[] {
  const found = []
  let start = node.data.byteLength
  for (const part of node.parts) {
    const end = start + part.size
    if (part.size > 0 && end > range.start && start <= range.end) found.push({ part, start })
    start = end
  }
  return found
}
