import { readTxids } from '../../items/sql/txids.ts'
import { unpackHeights } from './height-runs.ts'
import type { TransactionState } from './transactions.ts'

/** A transaction that carries a part of an item, as it is now. */
export interface ItemTransaction {
  index: number
  txid: string
  state: TransactionState
  checkedHeight: number | null
  blockHeight: number | null
}

/** The live transactions of an item's parts from index `from` up to, and without, `end`. */
export async function selectItemTransactions(
  db: D1Database,
  itemId: string,
  from: number,
  end: number,
): Promise<ItemTransaction[]> {
  const { results } = await db
    .prepare(
      `SELECT item_index AS "index", txid, state, checked_height AS checkedHeight, block_height AS blockHeight
       FROM transactions WHERE item_id = ? AND dead = 0 AND item_index >= ? AND item_index < ?
       ORDER BY item_index`,
    )
    .bind(itemId, from, end)
    .all<ItemTransaction>()
  return results
}

/** The same of an item whose transactions are folded; undefined where they are not. */
export async function selectFoldedTransactions(
  db: D1Database,
  itemId: string,
  from: number,
  end: number,
): Promise<ItemTransaction[] | undefined> {
  const row = await db
    .prepare(
      `SELECT lower(hex(substr(packed, 32 * ?2 + 1, 32 * (?3 - ?2)))) AS txids, heights FROM item_txids
       WHERE item_id = ?1 AND packed IS NOT NULL`,
    )
    .bind(itemId, from, end)
    .first<{ txids: string; heights: string }>()
  if (!row) return undefined
  const heights = unpackHeights(row.heights, from, end)
  return readTxids(row.txids).map((txid, step) => ({
    ...{ index: from + step, txid, state: 'mined', checkedHeight: null },
    blockHeight: heights[step] ?? null,
  }))
}

/** Data bytes in each transaction of an item; undefined until the writer planned it. */
export async function selectDataBytes(db: D1Database, itemId: string): Promise<number | undefined> {
  const row = await db
    .prepare('SELECT data_bytes FROM writes WHERE item_id = ?')
    .bind(itemId)
    .first<{ data_bytes: number | null }>()
  return row?.data_bytes ?? undefined
}
