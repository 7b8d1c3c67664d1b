import type { LedgerTransaction } from './ledger-transaction.ts'

/** The work of a block, done for a block of another chain (Dogecoin Core's `CAuxPow`). */
export interface AuxPow {
  /** The coinbase of the parent, its script with the root over the chains. */
  coinbase: LedgerTransaction
  /** The hashes beside the path from the coinbase to the root of the parent's block. */
  branch: readonly Uint8Array[]
  /** The hashes beside the path from the block to the root over the chains, and the index of the block there. */
  chainBranch: readonly Uint8Array[]
  slot: number
  /** The 80 bytes of the parent's header, whose hash is under the target of the block. */
  parent: Uint8Array
  /** All of it, as it follows the header. */
  bytes: Uint8Array
}
