import type { FileNode } from '../../../../reader/unixfs/dag.ts'
import { type FileRange, partsWithin, readPart, walkFile } from '../../../../reader/unixfs/walk-file.ts'
import type { DagSource } from './dag-source.ts'

/**
 * The bytes of `range` of a file, in order, at most one block at a time. What is cut too fine to be sent whole is
 * refused before its first byte.
 * @throws {AppError} as `BlockSource.get` does, and 422.
 */
export async function* readFile(source: DagSource, node: FileNode, range: FileRange): AsyncGenerator<Uint8Array> {
  await checkRange(source, node, range)
  for await (const { data } of walkFile(source, node, range)) if (data.byteLength > 0) yield data
}

/** Judges the blocks that a range needs by the first of them: files are cut into pieces of one size. */
async function checkRange(source: DagSource, node: FileNode, range: FileRange): Promise<void> {
  const bytes = range.end - range.start + 1
  let first = node
  let offset = range.start
  for (let depth = 0; first.data.byteLength <= offset && depth <= source.maxDepth; depth++) {
    const [next] = partsWithin(first, { start: offset, end: offset })
    if (!next) break
    first = await readPart(source, next.part)
    offset -= next.start
  }
  source.budget.check(bytes, bytes / Math.max(1, first.data.byteLength))
}
