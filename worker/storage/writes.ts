import type { Blockchain, StorageTarget } from '../../protocol/chains.ts'
import { assertion } from './guarded-batch.ts'
import type { PaymentRequest } from './payment-requests.ts'

export type WriteState = 'queued' | 'writing' | 'paused' | 'parked' | 'published' | 'done'

/** A paid item on its way to the chain (or, for IPFS, to being served). */
export interface Write {
  itemId: string
  target: StorageTarget
  requestId: string
  state: WriteState
  dataBytes: number | undefined
  transactions: number | undefined
  nextIndex: number
  /** Bytes at `stored/<item id>`. */
  storedSize: number
  cid: string | undefined
}

interface WriteRow {
  item_id: string
  target: StorageTarget
  request_id: string
  state: WriteState
  data_bytes: number | null
  transactions: number | null
  next_index: number
  stored_size: number
  cid: string | null
}

/** The statement that fails its batch unless every item waits for payment. */
export function assertUnpaid(db: D1Database, userId: string, itemIds: readonly string[]): D1PreparedStatement {
  return assertion(
    db,
    `(SELECT COUNT(*) FROM items WHERE id IN (SELECT value FROM json_each(?)) AND user_id = ? AND status = 402
       AND part_of IS NULL AND removed_at IS NULL) = ?`,
    JSON.stringify(itemIds),
    userId,
    itemIds.length,
  )
}

/** The statements that turn the items of a paid request from `402` to `202` and queue them. */
export function acceptItems(
  db: D1Database,
  request: Pick<PaymentRequest, 'id' | 'userId' | 'blockchain' | 'target' | 'itemIds'>,
  now: number,
): D1PreparedStatement[] {
  const ids = JSON.stringify(request.itemIds)
  return [
    assertUnpaid(db, request.userId, request.itemIds),
    db
      .prepare(
        `UPDATE items SET status = 202, message = 'Paid. It is being written.', updated_at = ?
         WHERE id IN (SELECT value FROM json_each(?)) AND status = 402`,
      )
      .bind(now, ids),
    db
      .prepare(
        `INSERT INTO writes (item_id, blockchain, target, request_id, state, created_at)
         SELECT value, ?, ?, ?, 'queued', ? FROM json_each(?)`,
      )
      .bind(request.blockchain, request.target, request.id, now, ids),
  ]
}

/** Writes of a chain in any of `states`, the longest waiting first. */
export async function selectWrites(
  db: D1Database,
  blockchain: Blockchain,
  states: readonly WriteState[],
): Promise<Write[]> {
  const { results } = await db
    .prepare(
      `SELECT writes.item_id, writes.target, request_id, state, data_bytes, writes.transactions, next_index,
         items.stored_size, items.cid
       FROM writes JOIN items ON items.id = writes.item_id
       WHERE writes.blockchain = ? AND state IN (SELECT value FROM json_each(?))
       ORDER BY writes.created_at, writes.item_id`,
    )
    .bind(blockchain, JSON.stringify(states))
    .all<WriteRow>()
  return results.map((row) => ({
    itemId: row.item_id,
    target: row.target,
    requestId: row.request_id,
    state: row.state,
    dataBytes: row.data_bytes ?? undefined,
    transactions: row.transactions ?? undefined,
    nextIndex: row.next_index,
    storedSize: row.stored_size,
    cid: row.cid ?? undefined,
  }))
}

/** The statements that fix how an item is cut into transactions, unless that was done before. */
export function planWrite(db: D1Database, itemId: string, dataBytes: number, transactions: number) {
  return [
    db
      .prepare(
        `UPDATE items SET transactions = ? WHERE id = ?
           AND EXISTS (SELECT 1 FROM writes WHERE item_id = items.id AND data_bytes IS NULL)`,
      )
      .bind(transactions, itemId),
    db
      .prepare('UPDATE writes SET data_bytes = ?, transactions = ? WHERE item_id = ? AND data_bytes IS NULL')
      .bind(dataBytes, transactions, itemId),
  ]
}

/** The statement that says that every payload below `index` has a transaction. */
export function advanceWrite(db: D1Database, itemId: string, index: number): D1PreparedStatement {
  return db.prepare('UPDATE writes SET next_index = ? WHERE item_id = ?').bind(index, itemId)
}

/**
 * The statement for items of which the node has taken a transaction: all the rest may follow. Taken from what is known
 * of the transactions, for the reply to sending one may have been lost.
 */
export function startWrites(db: D1Database, blockchain: Blockchain): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE writes SET state = 'writing' WHERE blockchain = ? AND state = 'queued' AND EXISTS (
         SELECT 1 FROM transactions WHERE item_id = writes.item_id AND state IN ('sent', 'mined'))`,
    )
    .bind(blockchain)
}

/** The statements that stop writing items and show them as `409 Conflict` with the reason. */
export function stopWrites(
  db: D1Database,
  itemIds: readonly string[],
  state: 'paused' | 'parked',
  message: string,
  now: number,
): D1PreparedStatement[] {
  const ids = JSON.stringify(itemIds)
  return [
    db
      .prepare(
        `UPDATE items SET status = 409, message = ?, updated_at = ?
         WHERE id IN (SELECT item_id FROM writes WHERE item_id IN (SELECT value FROM json_each(?))
           AND state IN ('queued', 'writing')) AND status = 202`,
      )
      .bind(message, now, ids),
    db
      .prepare(
        `UPDATE writes SET state = ?
         WHERE item_id IN (SELECT value FROM json_each(?)) AND state IN ('queued', 'writing')`,
      )
      .bind(state, ids),
  ]
}

/** The statements that let stopped writes in `state` go on, as `202 Accepted`. */
export function resumeWrites(
  db: D1Database,
  itemIds: readonly string[],
  state: 'paused' | 'parked',
  now: number,
): D1PreparedStatement[] {
  const ids = JSON.stringify(itemIds)
  return [
    db
      .prepare(
        `UPDATE items SET status = 202, message = 'Paid. It is being written.', updated_at = ?
         WHERE id IN (SELECT item_id FROM writes WHERE item_id IN (SELECT value FROM json_each(?)) AND state = ?)
           AND status = 409`,
      )
      .bind(now, ids, state),
    db
      .prepare(
        `UPDATE writes SET state = CASE WHEN EXISTS (
             SELECT 1 FROM transactions WHERE item_id = writes.item_id AND state IN ('sent', 'mined'))
           THEN 'writing' ELSE 'queued' END
         WHERE item_id IN (SELECT value FROM json_each(?)) AND state = ?`,
      )
      .bind(ids, state),
  ]
}

/** Items of these requests that are being written or paused. */
export async function selectItemsOfRequests(
  db: D1Database,
  requestIds: readonly string[],
  states: readonly WriteState[],
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT item_id FROM writes WHERE request_id IN (SELECT value FROM json_each(?))
         AND state IN (SELECT value FROM json_each(?)) AND unbacked = 0`,
    )
    .bind(JSON.stringify(requestIds), JSON.stringify(states))
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

/**
 * The statements that let an operator send a stopped item on its way again, whether or not its payment came back.
 * A cut that no transaction was made with is made anew, by the configuration of now.
 */
export function retryWrite(db: D1Database, itemId: string, now: number): D1PreparedStatement[] {
  return [
    assertion(db, `EXISTS (SELECT 1 FROM writes WHERE item_id = ? AND state IN ('paused', 'parked'))`, itemId),
    db
      .prepare(
        `UPDATE writes SET unbacked = unbacked OR state = 'paused', replan = replan OR state = 'parked',
           data_bytes = CASE WHEN live.n > 0 THEN data_bytes END,
           transactions = CASE WHEN live.n > 0 THEN transactions END
         FROM (SELECT COUNT(*) AS n FROM transactions WHERE item_id = ?1 AND state != 'dead') AS live
         WHERE item_id = ?1`,
      )
      .bind(itemId),
    ...resumeWrites(db, [itemId], 'paused', now),
    ...resumeWrites(db, [itemId], 'parked', now),
  ]
}

/** The statement after which nothing is left to do for a published item. */
export function finishWrite(db: D1Database, itemId: string): D1PreparedStatement {
  return db.prepare(`UPDATE writes SET state = 'done' WHERE item_id = ? AND state = 'published'`).bind(itemId)
}

/** Those of the items that an operator let be written anew. */
export async function selectReplanned(db: D1Database, itemIds: readonly string[]): Promise<string[]> {
  const { results } = await db
    .prepare('SELECT item_id FROM writes WHERE item_id IN (SELECT value FROM json_each(?)) AND replan = 1')
    .bind(JSON.stringify(itemIds))
    .all<{ item_id: string }>()
  return results.map((row) => row.item_id)
}

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

/** The statement that uses up an operator's leave to write items anew. */
export function clearReplanned(db: D1Database, itemIds: readonly string[]): D1PreparedStatement {
  return db
    .prepare('UPDATE writes SET replan = 0 WHERE item_id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(itemIds))
}
