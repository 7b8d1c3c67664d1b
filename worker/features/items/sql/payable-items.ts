import type { IndexedContent } from '../../../../contract/content-index.ts'
import type { StorageTarget } from '../../../../protocol/chains.ts'
import { indexedContent } from '../indexed-content.ts'
import { type ItemState, stateOfRow } from './item-state.ts'

/** What a payment has to know of an item; sizes in bytes. */
export interface PayableItem {
  id: string
  blockchain: StorageTarget
  state: ItemState
  /** The directory that it is paid with. */
  partOf: string | undefined
  /** From merge on. */
  storedSize: number
  transactions: number
  maxDataBytes: number
  /** What its index says of it, where it has one. */
  index: IndexedContent | undefined
}

interface PayableRow {
  id: string
  blockchain: StorageTarget
  status: number
  merging_at: number | null
  part_of: string | null
  stored_size: number | null
  transactions: number | null
  max_data_bytes: number | null
  directory_of: string | null
  mimetype: string
  size: number
  indexed: number | null
  content_size: number | null
}

/** Those of `ids` that are live items of this user, in no order. */
export async function selectPayableItems(
  db: D1Database,
  userId: string,
  ids: readonly string[],
): Promise<PayableItem[]> {
  const { results } = await db
    .prepare(
      `SELECT id, blockchain, status, merging_at, part_of, stored_size, transactions, max_data_bytes, directory_of,
         mimetype, size, indexed, content_size FROM items
       WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) AND removed_at IS NULL`,
    )
    .bind(userId, JSON.stringify(ids))
    .all<PayableRow>()
  return results.map((row) => ({
    id: row.id,
    blockchain: row.blockchain,
    state: stateOfRow(row.status, row.merging_at),
    partOf: row.part_of ?? undefined,
    storedSize: row.stored_size ?? 0,
    transactions: row.transactions ?? 0,
    maxDataBytes: row.max_data_bytes ?? 0,
    index:
      row.indexed === 1
        ? indexedContent({ ...row, directoryOf: row.directory_of, contentSize: row.content_size })
        : undefined,
  }))
}

/** The statement that keeps items from being swept as abandoned while they wait for payment. */
export function updateItemTimesStatement(db: D1Database, ids: readonly string[], now: number): D1PreparedStatement {
  return db
    .prepare('UPDATE items SET updated_at = ? WHERE id IN (SELECT value FROM json_each(?))')
    .bind(now, JSON.stringify(ids))
}
