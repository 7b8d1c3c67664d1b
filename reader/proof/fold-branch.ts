import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '../../protocol/bytes.ts'
import { refuse } from './refuse.ts'

/** The most levels of a tree over the transactions of a block: more than a block of 4,000,000 units of weight can have. */
export const MAX_LEVELS = 24

/** SHA-256 of the SHA-256, as transactions, headers and the nodes of their trees are hashed. */
export function sha256d(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes))
}

/** Whether the node that was folded so far is the right one of `pair`, which is hashed next. */
type Inspect = (pair: Uint8Array, isRight: boolean) => void

/**
 * The root of a Merkle tree, from a leaf, its position and the hashes beside its path, from the leaf up; all in the order in
 * which they are hashed. @throws {ReaderError} `not_proven` where the position needs more levels, or `inspect` refuses.
 */
export function foldBranch(
  leaf: Uint8Array,
  position: number,
  branch: readonly Uint8Array[],
  inspect?: Inspect,
): Uint8Array {
  let node = leaf
  let rest = position
  for (const sibling of branch) {
    const isRight = rest % 2 === 1
    const pair = concatBytes(isRight ? [sibling, node] : [node, sibling])
    inspect?.(pair, isRight)
    node = sha256d(pair)
    rest = Math.floor(rest / 2)
  }
  if (rest !== 0) refuse(`Position ${position} is outside a tree of ${branch.length} levels.`)
  return node
}

/**
 * The root that a transaction's branch leads to; txid and branch in the order in which they are hashed.
 * @throws {ReaderError} `not_proven` for a branch that may be of another tree than the block's.
 */
export function foldTransaction(txid: Uint8Array, position: number, branch: readonly Uint8Array[]): Uint8Array {
  if (branch.length > MAX_LEVELS) refuse(`A branch of ${branch.length} levels is longer than ${MAX_LEVELS}.`)
  return foldBranch(txid, position, branch, inspectPair)
}

function inspectPair(pair: Uint8Array, isRight: boolean): void {
  if (isRight && isRepeated(pair)) refuse('The branch goes through the repeated last node of a level (CVE-2012-2459).')
  if (isLikeTransaction(pair)) refuse('A pair of the branch could be a transaction (CVE-2017-12842).')
}

/** Only the last node of a level is paired with itself, as the left one: a right one has a second position. */
function isRepeated(pair: Uint8Array): boolean {
  for (let at = 0; at < 32; at++) if (pair[at] !== pair[at + 32]) return false
  return true
}

/**
 * Whether 64 bytes have the counts of a transaction with one input, one output and 4 bytes of scripts. Its txid would be a
 * node of the tree, and its halves, chosen by its author, would pass for what is below.
 */
function isLikeTransaction(pair: Uint8Array): boolean {
  const length = pair[41] ?? 0
  return pair[4] === 1 && length <= 4 && pair[46 + length] === 1 && pair[55 + length] === 4 - length
}
