import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'

/** A stored item, or an index, whose transactions are to be folded; `from` is the height at or below which they were when it was stored. */
export interface Foldable {
  itemId: string
  from: number
  transactions: number
}

/** What remains of an item's transactions. */
export interface Fold {
  /** As the row of txids has them, 64 hex digits each. */
  txids: string
  count: number
  heights: string
  vsize: number
  fee: bigint
  /** The highest of their blocks. */
  top: { height: number; hash: string }
}

/** Items of a chain with nothing left to do whose transactions may be folded at `height`, those that wait longest first. */
export async function selectFoldable(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
  limit: number,
): Promise<Foldable[]> {
  const { results } = await db
    .prepare(
      `SELECT item_id AS itemId, fold_from AS "from", transactions FROM writes
       WHERE blockchain = ? AND fold_from <= ? AND state = 'done' AND transactions IS NOT NULL
       ORDER BY fold_from LIMIT ?`,
    )
    .bind(blockchain, height, limit)
    .all<Foldable>()
  return results
}

/** The txids that an item, or an index, was stored with, 64 hex digits each; `undefined` where they are folded. */
export async function selectUnfoldedTxids(db: D1Database, itemId: string): Promise<string | undefined> {
  const row = await db
    .prepare(
      `SELECT txids FROM item_txids WHERE item_id = ?1 AND packed IS NULL
       UNION ALL SELECT index_txid FROM writes WHERE item_id = ?1 AND index_of IS NOT NULL`,
    )
    .bind(itemId)
    .first<{ txids: string }>()
  return row?.txids
}

/**
 * The statements that fold an item: its txids become bytes (that of an index remains where it is). They fail their batch, and nothing
 * changes, unless all is as it was read; what deletes its transactions belongs to the same batch.
 */
export function foldStatements(
  db: D1Database,
  blockchain: Blockchain,
  { itemId, from }: Foldable,
  fold: Fold,
): D1PreparedStatement[] {
  const { txids, count, top } = fold
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM writes WHERE item_id = ? AND blockchain = ? AND state = 'done' AND fold_from = ?
         AND transactions = ?)`,
      ...[itemId, blockchain, from, count],
    ),
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM item_txids WHERE item_id = ?1 AND packed IS NULL AND txids = ?2
         UNION ALL SELECT 1 FROM writes WHERE item_id = ?1 AND index_txid = ?2)`,
      ...[itemId, txids],
    ),
    db
      .prepare(
        `UPDATE item_txids SET packed = unhex(txids), txids = '', heights = ?, vsize = ?, fee = ? WHERE item_id = ?`,
      )
      .bind(fold.heights, fold.vsize, fold.fee.toString(), itemId),
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM item_txids WHERE item_id = ?1 AND length(packed) = ?2
         UNION ALL SELECT 1 FROM writes WHERE item_id = ?1 AND index_of IS NOT NULL)`,
      ...[itemId, 32 * count],
    ),
    db
      .prepare('UPDATE writes SET fold_from = NULL, folded_height = ?, folded_hash = ? WHERE item_id = ?')
      .bind(top.height, top.hash, itemId),
  ]
}

/** The statement that postpones the folding of an item until blocks up to `height` may be folded. */
export function postponeFoldStatement(db: D1Database, itemId: string, height: number): D1PreparedStatement {
  return db.prepare('UPDATE writes SET fold_from = ? WHERE item_id = ? AND fold_from IS NOT NULL').bind(height, itemId)
}

/**
 * Ends the fold of an index that another one has replaced, if its transaction was given up: nothing of it is on the chain. Returns
 * whether it was one.
 */
export async function endVoidFold(db: D1Database, itemId: string): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `UPDATE writes SET fold_from = NULL WHERE item_id = ?1
         AND NOT EXISTS (SELECT 1 FROM transactions WHERE item_id = ?1 AND dead = 0)
         AND EXISTS (SELECT 1 FROM items WHERE items.id = index_of AND items.index_txid IS NOT writes.index_txid)`,
    )
    .bind(itemId)
    .run()
  return meta.changes > 0
}
