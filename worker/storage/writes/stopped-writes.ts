import { assertion } from '../guarded-batch.ts'
import type { WriteState } from './writes.ts'

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

/** Those of the items that an operator let be written anew. */
export async function selectReplanned(db: D1Database, itemIds: readonly string[]): Promise<string[]> {
  const { results } = await db
    .prepare('SELECT item_id FROM writes WHERE item_id IN (SELECT value FROM json_each(?)) AND replan = 1')
    .bind(JSON.stringify(itemIds))
    .all<{ item_id: string }>()
  return results.map((row) => row.item_id)
}

/** The statement that uses up an operator's leave to write items anew. */
export function clearReplanned(db: D1Database, itemIds: readonly string[]): D1PreparedStatement {
  return db
    .prepare('UPDATE writes SET replan = 0 WHERE item_id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(itemIds))
}
