import type { LedgerTransaction } from './ledger-transaction.ts'

/** A transaction that waits for a block. Counts and sizes include itself, as Bitcoin Core reports them. */
export interface MempoolEntry {
  transaction: LedgerTransaction
  fee: bigint
  /** Unix seconds. */
  time: number
  /** The chain's height when it arrived. */
  height: number
  parents: Set<MempoolEntry>
  children: Set<MempoolEntry>
  ancestorCount: number
  ancestorBytes: number
  ancestorFees: bigint
  descendantCount: number
  descendantBytes: number
  descendantFees: bigint
}
