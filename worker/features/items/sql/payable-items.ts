import type { IndexedContent } from '../../../../contract/content-index.ts'
import type { StorageTarget } from '../../../../protocol/chains.ts'
import { indexedContent } from '../indexed-content.ts'
import { type ItemState, stateOfRow } from './item-state.ts'
import type { Item } from './items.ts'

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
  /** The description in its index, if it has one. */
  index: IndexedContent | undefined
}

type PayableRow = Omit<PayableItem, 'state' | 'index' | 'partOf'> &
  Pick<Item, 'partOf' | 'directoryOf' | 'mimetype' | 'size' | 'contentSize'> & {
    status: number
    mergingAt: number | null
    indexed: number | null
  }

/** Those of `ids` that are live items of this user, in no order. */
export async function selectPayableItems(
  db: D1Database,
  userId: string,
  ids: readonly string[],
): Promise<PayableItem[]> {
  const { results } = await db
    .prepare(
      `SELECT id, blockchain, status, merging_at AS mergingAt, part_of AS partOf, IFNULL(stored_size, 0) AS storedSize,
         IFNULL(transactions, 0) AS transactions, IFNULL(max_data_bytes, 0) AS maxDataBytes,
         directory_of AS directoryOf, mimetype, size, indexed, content_size AS contentSize FROM items
       WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) AND removed_at IS NULL`,
    )
    .bind(userId, JSON.stringify(ids))
    .all<PayableRow>()
  return results.map(({ id, blockchain, storedSize, transactions, maxDataBytes, ...row }) => ({
    ...{ id, blockchain, storedSize, transactions, maxDataBytes },
    state: stateOfRow(row.status, row.mergingAt),
    partOf: row.partOf ?? undefined,
    index: row.indexed === 1 ? indexedContent(row) : undefined,
  }))
}

/** The statement that prevents items from being swept as abandoned while they wait for payment. */
export function updateItemTimesStatement(db: D1Database, ids: readonly string[], now: number): D1PreparedStatement {
  return db
    .prepare('UPDATE items SET updated_at = ? WHERE id IN (SELECT value FROM json_each(?))')
    .bind(now, JSON.stringify(ids))
}
