import { concatBytes } from '../../protocol/bytes.ts'
import { sha256d } from '../../reader/proof/fold-branch.ts'

/**
 * A Merkle tree over hashes that are added one after another, of which only the complete subtrees are in memory: one hash
 * a level. Hashes in the order in which they are hashed.
 */
export class BlockTree {
  /** By level: the root of a complete subtree that waits for its right neighbour. */
  readonly #waiting: (Uint8Array | undefined)[] = []

  add(leaf: Uint8Array): void {
    let node = leaf
    for (let level = 0; ; level++) {
      const left = this.#waiting[level]
      this.#waiting[level] = left ? undefined : node
      if (!left) return
      node = sha256d(concatBytes([left, node]))
    }
  }

  /** The root, the last node of an odd level paired with itself. @throws {RangeError} of an empty tree */
  root(): Uint8Array {
    let node: Uint8Array | undefined
    for (const [level, left] of this.#waiting.entries()) {
      const isLast = this.#waiting.slice(level + 1).every((above) => above === undefined)
      if (left && !node && isLast) return left
      if (left) node = sha256d(concatBytes([left, node ?? left]))
      else if (node && !isLast) node = sha256d(concatBytes([node, node]))
    }
    if (!node) throw new RangeError('A tree without leaves has no root.')
    return node
  }
}
