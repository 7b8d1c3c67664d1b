import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { inState } from './item-state.ts'
import { readTxids, TXIDS } from './txids.ts'

/** What the index of a stored item is made of; `sha256` of its content, decoded, in lowercase hex. */
export interface IndexedItem {
  mimetype: string
  directoryOf: string | null
  size: number
  contentSize: number | null
  sha256: string
  txids: string[]
}

/** What the index of an item is made of; `undefined` where it is not stored, or its hash is not known. */
export async function selectIndexed(db: D1Database, itemId: string): Promise<IndexedItem | undefined> {
  const row = await db
    .prepare(
      `SELECT mimetype, directory_of AS directoryOf, size, content_size AS contentSize,
         IIF(directory_of IS NULL, sha256, content_sha256) AS sha256, ${TXIDS} AS txids
       FROM items JOIN item_txids AS t ON t.item_id = items.id WHERE items.id = ? AND ${inState('stored')}`,
    )
    .bind(itemId)
    .first<Omit<IndexedItem, 'txids' | 'sha256'> & { txids: string; sha256: string | null }>()
  if (!row || row.sha256 === null) return undefined
  return { ...row, sha256: row.sha256, txids: readTxids(row.txids) }
}

/** The index of an item that is being published: its write, and the bytes of its data. */
export interface NewIndex {
  id: string
  itemId: string
  length: number
}

/**
 * The statements that queue the index of an item, in the batch that publishes the item. An earlier write with the same
 * txids is resumed; those with other txids are void. `height` is that of the publication.
 */
export function queueIndexStatements(
  db: D1Database,
  { id, itemId, length }: NewIndex,
  height: number,
  now: number,
): D1PreparedStatement[] {
  return [
    ...voidIndexesStatements(db, itemId, id, height),
    db
      .prepare(
        `INSERT INTO writes (item_id, blockchain, target, request_id, state, unbacked, data_bytes, transactions, created_at, index_of)
         SELECT ?1, blockchain, target, request_id, 'queued', unbacked, ?3, 1, ?4, item_id FROM writes WHERE item_id = ?2
         ON CONFLICT (item_id) DO UPDATE SET state = 'writing', fold_from = NULL
           WHERE state = 'done' AND folded_height IS NULL`,
      )
      .bind(id, itemId, length, now),
    // Of one that is folded nothing is left to be done.
    db
      .prepare(
        `UPDATE items SET index_txid = (SELECT index_txid FROM writes WHERE item_id = ? AND folded_height IS NOT NULL)
         WHERE id = ?`,
      )
      .bind(id, itemId),
  ]
}

/** The statements after which no index of an item but `id` is written any more; their sent transactions are folded in time. */
function voidIndexesStatements(db: D1Database, itemId: string, id: string, height: number): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE writes SET state = 'done', index_txid = IFNULL(index_txid, own.txid), fold_from = ?3
         FROM transactions AS own
         WHERE index_of = ?1 AND writes.item_id != ?2 AND folded_height IS NULL
           AND own.item_id = writes.item_id AND own.dead = 0 AND own.state IN ('sent', 'mined')`,
      )
      .bind(itemId, id, height),
    db
      .prepare(`UPDATE writes SET state = 'done' WHERE index_of = ?1 AND item_id != ?2 AND state != 'done'`)
      .bind(itemId, id),
  ]
}

/** The stopped write of an index, by its id or by that of its item. */
export async function selectStoppedIndex(
  db: D1Database,
  id: string,
): Promise<{ id: string; itemId: string } | undefined> {
  const row = await db
    .prepare(
      `SELECT item_id AS id, index_of AS itemId FROM writes
       WHERE (item_id = ?1 OR index_of = ?1) AND index_of IS NOT NULL AND state IN ('paused', 'parked') LIMIT 1`,
    )
    .bind(id)
    .first<{ id: string; itemId: string }>()
  return row ?? undefined
}

/** The statement that ends the write of an index which names other txids than its item has. */
export function voidIndexStatement(db: D1Database, id: string): D1PreparedStatement {
  return db.prepare(`UPDATE writes SET state = 'done' WHERE item_id = ?`).bind(id)
}

/**
 * The statements that show the index of an item. They fail their batch unless its transaction is in a block at or below
 * `height`, and the item is stored.
 */
export function publishIndexStatements(
  db: D1Database,
  { id, itemId, txid }: { id: string; itemId: string; txid: string },
  height: number,
  now: number,
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM transactions WHERE item_id = ?1 AND txid = ?2 AND dead = 0 AND state = 'mined' AND block_height <= ?3)
       AND EXISTS (SELECT 1 FROM writes WHERE item_id = ?1 AND index_of = ?4 AND state = 'writing')
       AND EXISTS (SELECT 1 FROM items WHERE id = ?4 AND ${inState('stored')})`,
      ...[id, txid, height, itemId],
    ),
    db.prepare('UPDATE items SET index_txid = ?, updated_at = ? WHERE id = ?').bind(txid, now, itemId),
    db
      .prepare(`UPDATE writes SET state = 'done', index_txid = ?, fold_from = ? WHERE item_id = ?`)
      .bind(txid, height, id),
  ]
}
