import { concatBytes } from '../../protocol/bytes.ts'
import { sha256d } from './fold-branch.ts'

/**
 * The levels of a Merkle tree of Bitcoin, from its leaves, at least one, to its root: the last node of an odd level is paired
 * with itself. A part of a larger tree has at least so many levels above its leaves. Hashes in the order in which they are
 * hashed.
 */
export function treeLevels(
  leaves: Uint8Array[],
  hash: (bytes: Uint8Array) => Uint8Array = sha256d,
  least = 0,
): Uint8Array[][] {
  const levels = [leaves]
  for (let level = leaves; level.length > 1 || levels.length <= least; levels.push(level)) {
    level = levelAbove(level, hash)
  }
  return levels
}

function levelAbove(level: readonly Uint8Array[], hash: (bytes: Uint8Array) => Uint8Array): Uint8Array[] {
  const above: Uint8Array[] = []
  for (const [at, left] of level.entries()) {
    if (at % 2 === 0) above.push(hash(concatBytes([left, level[at + 1] ?? left])))
  }
  return above
}

/** The hashes beside the path from leaf `position` to the root. */
export function branchAt(levels: readonly (readonly Uint8Array[])[], position: number): Uint8Array[] {
  return levels.slice(0, -1).flatMap((level, height) => {
    const at = Math.floor(position / 2 ** height)
    const sibling = level[at ^ 1] ?? level[at]
    return sibling ? [sibling] : []
  })
}
