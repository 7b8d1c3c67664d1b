import type { EventType } from '../../../../contract/event-types.ts'
import { insertSelectedEventsStatement } from '../../../platform/records/event-queue.ts'
import { allTransactions } from './all-transactions.ts'
import { inState } from './item-state.ts'

/**
 * The statement that queues an event for each item for which `condition` holds, SQL over `items`: in the batch of the
 * move that it reports, before it, with the condition of that move. `message` is in the event where there is one.
 */
export function insertItemEventsStatement(
  db: D1Database,
  type: EventType & `item.${string}`,
  condition: { sql: string; values: readonly (string | number)[] },
  { now, message }: { now: number; message?: string },
): D1PreparedStatement {
  return insertSelectedEventsStatement(
    db,
    `SELECT user_id, '${type}', id, json_patch(json_object('id', id, 'name', name, 'blockchain', blockchain),
       json_object('cid', cid, 'message', ?)), ?
     FROM items WHERE ${condition.sql}`,
    [message ?? null, now, ...condition.values],
  )
}

/** Between two reports of how far an item is, in milliseconds. */
const PROGRESS_EVERY = 1_000

/** The statement that queues how far items are, where that changed and was not reported within the last second. */
export function insertProgressStatement(db: D1Database, itemIds: readonly string[], now: number): D1PreparedStatement {
  const data = `json_object('id', items.id, 'written', items.written, 'confirmed', items.confirmed,
    'transactions', ${allTransactions('items')})`
  return insertSelectedEventsStatement(
    db,
    `SELECT items.user_id, 'item.progress', items.id, ${data}, ?1
     FROM json_each(?2) AS given CROSS JOIN items ON items.id = given.value
       LEFT JOIN events AS told ON told.subject = items.id AND told.type = 'item.progress'
     WHERE ${inState('writing')} AND items.written > 0
       AND (told.seq IS NULL OR (told.data <> ${data} AND (told.at <= ?1 - ${PROGRESS_EVERY} OR told.at > ?1)))`,
    [now, JSON.stringify(itemIds)],
    { replace: true },
  )
}
