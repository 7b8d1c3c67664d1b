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
