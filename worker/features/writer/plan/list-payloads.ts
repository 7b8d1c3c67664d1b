import type { WriteJob } from '../../items/sql/writes.ts'
import type { Payload } from '../../transactions/sign/tx-chain-plan.ts'

/** How an item is cut: payload k carries stored bytes from k * `dataBytes` on. */
export interface PayloadCuts {
  dataBytes: number
  transactions: number
}

/** The cut that an item has, or would get with this many data bytes in a transaction. */
export function cutOf(
  write: Pick<WriteJob, 'dataBytes' | 'transactions' | 'storedSize'>,
  maxDataBytes: number,
): PayloadCuts {
  const { dataBytes, transactions } = write
  if (dataBytes !== undefined && transactions !== undefined) return { dataBytes, transactions }
  return { dataBytes: maxDataBytes, transactions: Math.ceil(write.storedSize / maxDataBytes) }
}

/** An item with what it still has to have written. */
export interface Unwritten {
  write: WriteJob
  cut: PayloadCuts
  /** Indexes from `write.nextIndex` on that have a transaction. */
  taken: ReadonlySet<number>
}

/**
 * At most `count` payloads and about `bytes` that can be written now, from the items in turn. If the node has accepted
 * nothing of an item yet, only one payload of it is tried: if the node refuses that one, nothing was spent.
 */
export function listPayloads(items: readonly Unwritten[], limit: { count: number; bytes: number }): Payload[] {
  const cursors = items.map(({ write, cut, taken }) => ({
    write,
    cut,
    taken,
    index: write.nextIndex,
    left: write.state === 'queued' ? 1 - taken.size : Number.POSITIVE_INFINITY,
  }))
  const payloads: Payload[] = []
  let bytes = 0
  for (let found = true; found; ) {
    found = false
    for (const cursor of cursors) {
      while (cursor.taken.has(cursor.index)) cursor.index++
      if (cursor.left < 1 || cursor.index >= cursor.cut.transactions) continue
      const { write, cut, index } = cursor
      const length = Math.min(cut.dataBytes, write.storedSize - index * cut.dataBytes)
      if (payloads.length >= limit.count || (payloads.length > 0 && bytes + length > limit.bytes)) return payloads
      payloads.push({ itemId: write.itemId, index, length })
      bytes += length
      cursor.index++
      cursor.left--
      found = true
    }
  }
  return payloads
}

/**
 * How many transactions may be written once the first one of each item is accepted, at least as many as are in `queue`.
 * An item of which the node has accepted nothing yet counts as one.
 */
export function countRemaining(items: readonly Unwritten[], queue: readonly Payload[]): number {
  let transactions = 0
  for (const { write, cut, taken } of items) {
    transactions += write.state === 'queued' ? 1 : cut.transactions - write.nextIndex - taken.size
  }
  return Math.max(transactions, queue.length)
}

/** The first index from `next` on that is in neither set. */
export function firstFree(next: number, ...taken: ReadonlySet<number>[]): number {
  let index = next
  while (taken.some((set) => set.has(index))) index++
  return index
}
