import { ReaderError } from '../reader-error.ts'
import type { BlockSource } from './block-source.ts'
import { decodeNode, type FileNode, invalidDag } from './dag-node.ts'
import type { IpfsLimits } from './ipfs-limits.ts'

/** Counts nodes over a whole read. */
export class NodeBudget {
  #left: number

  constructor(maxNodes: number) {
    this.#left = maxNodes
  }

  /** @throws {ReaderError} `too_large` when all are spent. */
  spend(): void {
    if (this.#left-- <= 0) throw new ReaderError('too_large', 'The DAG has more nodes than are read here.')
  }
}

export interface ReadFileOptions {
  /** First byte of the file that is wanted. */
  offset: number
  limits: IpfsLimits
  budget: NodeBudget
}

/**
 * The bytes of a file from `offset` on, in order, one block at a time. Blocks before it are not asked for. A part that
 * is longer or shorter than its parent says is an error. @throws {ReaderError}
 */
export async function* readFile(
  source: BlockSource,
  node: FileNode,
  { offset, limits, budget }: ReadFileOptions,
  depth = 0,
): AsyncGenerator<Uint8Array> {
  if (depth > limits.maxDepth) throw invalidDag(node.cid, `is more than ${limits.maxDepth} levels deep`)
  if (offset < node.data.length) yield node.data.subarray(offset)
  let start = node.data.length
  for (const { cid, size } of node.parts) {
    const end = start + size
    if (end > offset && size > 0) {
      budget.spend()
      const part = await decodeNode(cid, await source.get(cid))
      if (part.kind !== 'file') throw invalidDag(cid, 'is no part of a file')
      if (part.size !== size) throw invalidDag(cid, 'is not as long as its parent says')
      yield* readFile(source, part, { offset: Math.max(0, offset - start), limits, budget }, depth + 1)
    }
    start = end
  }
}
