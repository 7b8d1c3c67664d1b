import type { Blockchain } from '../../../protocol/chains.ts'
import { assertion } from '../guarded-batch.ts'

/** Items being written all of whose transactions are in blocks at or below `height`. */
export async function selectFullyMined(db: D1Database, blockchain: Blockchain, height: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT item_id FROM writes WHERE blockchain = ?1 AND state = 'writing' AND next_index >= writes.transactions
         AND transactions = (
           SELECT COUNT(*) FROM transactions AS mined
           WHERE mined.item_id = writes.item_id AND mined.state = 'mined' AND mined.block_height <= ?2)`,
    )
    .bind(blockchain, height)
    .all<{ item_id: string }>()
  return results.map((row) => row.item_id)
}

/**
 * The statements that publish an item: its txids, and `200 OK`. They fail their batch unless it is being written and
 * all of its `count` transactions are at or below `height`.
 */
export function publishTxids(
  db: D1Database,
  itemId: string,
  txids: readonly string[],
  height: number,
  now: number,
): D1PreparedStatement[] {
  return [
    assertion(
      db,
      `(SELECT COUNT(*) FROM transactions WHERE item_id = ? AND state = 'mined' AND block_height <= ?) = ?
       AND EXISTS (SELECT 1 FROM writes WHERE item_id = ? AND state = 'writing' AND transactions = ?)`,
      itemId,
      height,
      txids.length,
      itemId,
      txids.length,
    ),
    db.prepare('INSERT INTO item_txids (item_id, txids) VALUES (?, ?)').bind(itemId, txids.join('')),
    db
      .prepare(
        `UPDATE items SET status = 200, message = NULL, transactions = ?1, written = ?1, confirmed = ?1, updated_at = ?2
         WHERE id = ?3 AND status = 202`,
      )
      .bind(txids.length, now, itemId),
    db.prepare(`UPDATE writes SET state = 'published' WHERE item_id = ?`).bind(itemId),
  ]
}

/** The statements that publish an IPFS item, whose blocks are served from now on, and with a directory its files. */
export function publishStored(db: D1Database, itemId: string, now: number): D1PreparedStatement[] {
  return [
    db
      .prepare('UPDATE items SET status = 200, message = NULL, updated_at = ? WHERE id = ? AND status = 202')
      .bind(now, itemId),
    db
      .prepare(
        `UPDATE items SET status = 200, message = NULL, updated_at = ?1
         WHERE part_of = ?2 AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?2 AND d.status = 200)`,
      )
      .bind(now, itemId),
    db.prepare(`UPDATE writes SET state = 'done' WHERE item_id = ? AND state IN ('queued', 'writing')`).bind(itemId),
  ]
}
