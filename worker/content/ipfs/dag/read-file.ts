import type { CID } from 'multiformats/cid'
import type { FileNode } from '../../../../reader/unixfs/dag.ts'
import { type FileRange, partsWithin, readPart, walkFile } from '../../../../reader/unixfs/walk-file.ts'
import { HELD_BYTES } from '../../../platform/http/stream-body.ts'
import { decodeNode } from './dag-node.ts'
import type { DagSource } from './dag-source.ts'

/** For ranges of at least this size (bytes), memory is reserved: for the block that was read and the one that is sent. */
const LARGE_BYTES = 1 << 20
const HELD_PIECES = 2
/** A range from here on (bytes) would put half of all that is in memory for others out of it: each block is freed when it was sent. */
const READ_ONCE_BYTES = 16 << 20

/**
 * The bytes of `range` of a file, in order, at most one block at a time. What is cut too fine to be sent whole is
 * refused before its first byte.
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function* readFile(source: DagSource, node: FileNode, range: FileRange): AsyncGenerator<Uint8Array> {
  const piece = await checkRange(source, node, range)
  const large = range.end - range.start >= LARGE_BYTES
  const take = () => (large ? source.take('ipfs', HELD_PIECES * piece) : undefined)
  const once = range.end - range.start >= READ_ONCE_BYTES
  const dag = once ? { ...source, read: async (cid: CID) => decodeNode(cid, await source.getOnce(cid)) } : source
  let share = await take()
  try {
    for await (const { block, data, isLeaf } of walkFile(dag, node, range)) {
      // A reader that did not read for a while waits for memory again.
      if (share?.isHeld === false) share = await take()
      share?.touch()
      if (data.byteLength > 0) yield data
      // A shorter one may be held together with others before the status is sent.
      if (isLeaf && data.byteLength >= HELD_BYTES) source.free(block)
    }
  } finally {
    share?.release()
  }
}

/** Judges the blocks that a range needs by the first of them: files are cut into pieces of one size, which is returned. */
async function checkRange(source: DagSource, node: FileNode, range: FileRange): Promise<number> {
  const bytes = range.end - range.start + 1
  let first = node
  let offset = range.start
  for (let depth = 0; first.data.byteLength <= offset && depth <= source.maxDepth; depth++) {
    const [next] = partsWithin(first, { start: offset, end: offset })
    if (!next) break
    first = await readPart(source, next.part)
    offset -= next.start
  }
  const piece = Math.max(1, first.data.byteLength)
  source.budget.check(bytes, bytes / piece)
  return piece
}
