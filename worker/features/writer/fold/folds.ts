import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'

/** A stored item, or an index, whose transactions are to be folded; `from` is the height at or below which they were when it was stored. */
export interface Foldable {
  itemId: string
  from: number
  transactions: number
}

/** A live transaction of an item that is to be folded; the fee in base units. */
export interface FoldedTransaction {
  txid: string
  height: number | undefined
  hash: string | undefined
  vsize: number
  fee: bigint
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

const toTransaction = rowReader<FoldedTransaction>({ fee: BigInt })

/** Up to which block the wallet of a chain was searched for what left it; `undefined` before it first was. */
export async function selectComparedHeight(db: D1Database, blockchain: Blockchain): Promise<number | undefined> {
  const row = await db
    .prepare('SELECT height FROM wallet_scans WHERE blockchain = ? AND sends_known = 1')
    .bind(blockchain)
    .first<{ height: number }>()
  return row?.height
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

/** The live transactions of an item, or of an index, in their order, and its txids, where they are not folded. */
export async function selectToFold(
  db: D1Database,
  itemId: string,
): Promise<{ rows: FoldedTransaction[]; txids: string | undefined }> {
  const { results } = await db
    .prepare(
      `SELECT txid, block_height AS height, block_hash AS hash, vsize, fee FROM transactions
       WHERE item_id = ? AND dead = 0 ORDER BY item_index`,
    )
    .bind(itemId)
    .all<Row<FoldedTransaction>>()
  const own = await db
    .prepare(
      `SELECT txids FROM item_txids WHERE item_id = ?1 AND packed IS NULL
       UNION ALL SELECT index_txid FROM writes WHERE item_id = ?1 AND index_of IS NOT NULL`,
    )
    .bind(itemId)
    .first<{ txids: string }>()
  return { rows: results.map(toTransaction), txids: own?.txids }
}

/**
 * Whether no transaction can depend on those of an item any more, as SQL: each that is the last of its tx chain is the
 * end of a closed one, and the successors of the others are in blocks at or below the height.
 */
const IS_LEFT = `NOT EXISTS (
  SELECT 1 FROM transactions AS own
    LEFT JOIN transactions AS next ON next.blockchain = own.blockchain AND next.tx_chain = own.tx_chain AND next.seq = own.seq + 1
      AND next.dead = 0
    LEFT JOIN tx_chains ON tx_chains.blockchain = own.blockchain AND tx_chains.id = own.tx_chain
  WHERE own.item_id = ?1 AND own.dead = 0
    AND IIF(next.txid IS NULL, tx_chains.state IS NOT 'closed', IFNULL(next.block_height, 1e15) > ?2))`

/** Whether no transaction can depend on those of an item any more. */
export async function selectIsLeft(db: D1Database, itemId: string, height: number): Promise<boolean> {
  const row = await db.prepare(`SELECT 1 AS holds WHERE ${IS_LEFT}`).bind(itemId, height).first()
  return row !== null
}

/**
 * The statements that fold an item: its txids become bytes (that of an index remains where it is), and the rows of its
 * transactions and of their inputs are deleted. They fail their batch, and nothing changes, unless all is as it was
 * read, all of its transactions are in blocks at or below `height`, and no transaction depends on them.
 */
export function foldStatements(
  db: D1Database,
  blockchain: Blockchain,
  { itemId, from }: Foldable,
  fold: Fold,
  height: number,
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
      `(SELECT COUNT(*) FROM transactions WHERE item_id = ?1 AND dead = 0) = ?2 AND ?2 = (
         SELECT COUNT(*) FROM transactions WHERE item_id = ?1 AND dead = 0 AND state = 'mined' AND block_height <= ?3)`,
      ...[itemId, count, height],
    ),
    assertionStatement(db, IS_LEFT, itemId, height),
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
      .prepare(
        `DELETE FROM transaction_inputs WHERE blockchain = ? AND txid IN (
           SELECT txid FROM transactions WHERE item_id = ? AND dead = 0)`,
      )
      .bind(blockchain, itemId),
    db.prepare('DELETE FROM transactions WHERE item_id = ? AND dead = 0').bind(itemId),
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
