import { reverseHex, txidBytes } from '../../protocol/transaction.ts'
import { foldBranch } from './fold-branch.ts'
import { refuse } from './refuse.ts'

/** What is pinned of a chain. */
export interface Checkpoint {
  /** The last block that is in it. */
  height: number
  /** Merkle root over the hashes of the blocks 0 to `height`, as displayed: double SHA-256, the last of a level repeated (`cp_height` of ElectrumX). */
  root: string
  /** The median of the targets of its last 101 blocks, in their short form. */
  bits: number
  /** Time of block `height`, Unix seconds. */
  time: number
}

/** The hashes beside a block's path in the tree of a checkpoint: ⌈log₂(height + 1)⌉. */
export function checkpointLevels(height: number): number {
  return 32 - Math.clz32(height)
}

/**
 * Checks that block `hash` is block `height` of the pinned chain, by a branch in the order in which it is hashed.
 * @throws {ReaderError} `not_proven`
 */
export function checkInChain(
  { hash, height, branch }: { hash: string; height: number; branch: readonly Uint8Array[] },
  checkpoint: Checkpoint,
): void {
  // Above its height the repeated last hash would prove a block twice.
  if (height > checkpoint.height) refuse(`Block ${height} is above the checkpoint at ${checkpoint.height}.`)
  if (branch.length !== checkpointLevels(checkpoint.height)) {
    refuse(`A branch of ${branch.length} levels is not of the checkpoint at ${checkpoint.height}.`)
  }
  if (reverseHex(foldBranch(txidBytes(hash), height, branch)) !== checkpoint.root) {
    refuse(`Block ${hash} is not block ${height} of the chain of the checkpoint.`)
  }
}
