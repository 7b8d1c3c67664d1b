import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'

/** A live transaction of an item that is to be folded; the fee in base units. */
export interface FoldedTransaction {
  txid: string
  height: number | undefined
  hash: string | undefined
  vsize: number
  fee: bigint
}

const toTransaction = rowReader<FoldedTransaction>({ fee: BigInt })

/** The live transactions of an item, or of an index, in their order. */
export async function selectToFold(db: D1Database, itemId: string): Promise<FoldedTransaction[]> {
  const { results } = await db
    .prepare(
      `SELECT txid, block_height AS height, block_hash AS hash, vsize, fee FROM transactions
       WHERE item_id = ? AND dead = 0 ORDER BY item_index`,
    )
    .bind(itemId)
    .all<Row<FoldedTransaction>>()
  return results.map(toTransaction)
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
 * The statements that delete the rows of an item's `count` transactions and of their inputs. They fail their batch unless all of
 * them are in blocks at or below `height`, and no transaction depends on them.
 */
export function deleteFoldedStatements(
  db: D1Database,
  blockchain: Blockchain,
  { itemId, count }: { itemId: string; count: number },
  height: number,
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `(SELECT COUNT(*) FROM transactions WHERE item_id = ?1 AND dead = 0) = ?2 AND ?2 = (
         SELECT COUNT(*) FROM transactions WHERE item_id = ?1 AND dead = 0 AND state = 'mined' AND block_height <= ?3)`,
      ...[itemId, count, height],
    ),
    assertionStatement(db, IS_LEFT, itemId, height),
    db
      .prepare(
        `DELETE FROM transaction_inputs WHERE blockchain = ? AND txid IN (
           SELECT txid FROM transactions WHERE item_id = ? AND dead = 0)`,
      )
      .bind(blockchain, itemId),
    db.prepare('DELETE FROM transactions WHERE item_id = ? AND dead = 0').bind(itemId),
  ]
}
