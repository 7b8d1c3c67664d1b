import type { CID } from 'multiformats/cid'
import { readAhead } from '../../flow/read-ahead.ts'
import type { ByteRange } from '../../http/parse-range.ts'
import { BLOCKS_AHEAD, type BlockSource } from '../blocks/block-store.ts'
import { type DagNode, decodeNode, type FilePart, invalidDag } from './dag-node.ts'

export type FileNode = Extract<DagNode, { kind: 'file' }>

/** One block of a file on the way through it, with the bytes of the file that it holds within the range. */
export interface FileStep {
  cid: CID
  block: Uint8Array
  data: Uint8Array
}

/** Deeper than any chunker builds: at 174 links a level, 8 levels hold more than an exabyte. */
const MAX_DEPTH = 32

/**
 * Walks the blocks of a file depth first, those that hold bytes of `range` and no others, and asks for the next
 * few while the reader is busy. `ipfs-unixfs-exporter` would give the bytes, but neither the blocks that a CAR is
 * made of nor backpressure. A part that is longer or shorter than its parent says is an error: what has been
 * promised in `Content-Length` is what comes.
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function* walkFile(
  source: BlockSource,
  node: FileNode,
  range: ByteRange,
  depth = 0,
): AsyncGenerator<FileStep> {
  if (depth > MAX_DEPTH) throw invalidDag(node.cid, `is more than ${MAX_DEPTH} levels deep`)
  yield { cid: node.cid, block: node.block, data: slice(node.data, range) }
  const parts = partsWithin(node, range)
  const blocks = readAhead(parts, BLOCKS_AHEAD, ({ part }) => source.get(part.cid))
  for (const { part, start } of parts) {
    const { value: block } = await blocks.next()
    if (!block) return
    const child = decodeNode(part.cid, block)
    if (child.kind === 'opaque') throw child.problem
    if (child.kind !== 'file') throw invalidDag(part.cid, 'is no part of a file')
    if (child.size !== part.size) throw invalidDag(part.cid, 'is not as long as its parent says')
    yield* walkFile(source, child, { start: range.start - start, end: range.end - start }, depth + 1)
  }
}

/** The bytes of `range` of a file, in order, at most one block at a time. */
export async function* readFile(source: BlockSource, node: FileNode, range: ByteRange): AsyncGenerator<Uint8Array> {
  for await (const { data } of walkFile(source, node, range)) if (data.byteLength > 0) yield data
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
