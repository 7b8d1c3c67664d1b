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
       FROM transactions WHERE item_id = ? AND state != 'dead' AND item_index >= ? AND item_index < ?
       ORDER BY item_index`,
    )
    .bind(itemId, from, end)
    .all<ItemTransaction>()
  return results
}

/** Data bytes in each transaction of an item; undefined until the writer planned it. */
export async function selectDataBytes(db: D1Database, itemId: string): Promise<number | undefined> {
  const row = await db
    .prepare('SELECT data_bytes FROM writes WHERE item_id = ?')
    .bind(itemId)
    .first<{ data_bytes: number | null }>()
  return row?.data_bytes ?? undefined
}
