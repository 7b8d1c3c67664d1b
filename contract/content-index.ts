import type { StorageTarget } from '../protocol/chains.ts'
import { contentIndexLength } from '../protocol/content-index.ts'

/** Data bytes of a transaction from which on a chain is offered indexes: one names 200 others then. */
const LEAST_DATA_BYTES = 8 * 1024

/** Whether content of this target may have an index; `maxDataBytes` of one transaction, null for IPFS. */
export function offersIndex({ maxDataBytes }: { maxDataBytes: number | null }): boolean {
  return maxDataBytes !== null && maxDataBytes >= LEAST_DATA_BYTES
}

/** Whether content of several transactions on this target has an index by default. */
export function hasIndexByDefault(target: StorageTarget): boolean {
  return target === 'Nativecoin'
}

/** What an index says of its content beside its transactions. */
export interface IndexedContent {
  /** The media type, 1 to 255 characters of printable ASCII. */
  type: string
  /** Length in bytes, decoded. */
  size: number
}

/**
 * Stored bytes and transactions of content with its index, which is one transaction more; content of one transaction has
 * none.
 */
export function withIndex(
  { storedSize, transactions }: { storedSize: number; transactions: number },
  content: IndexedContent,
): { storedSize: number; transactions: number } {
  if (transactions < 2) return { storedSize, transactions }
  const length = contentIndexLength({ ...content, parts: transactions })
  return { storedSize: storedSize + length, transactions: transactions + 1 }
}
