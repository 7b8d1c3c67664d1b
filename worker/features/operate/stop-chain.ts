import type { Blockchain } from '../../../protocol/chains.ts'
import {
  deleteStopsStatement,
  insertStopStatement,
  type Stop,
  type StopCause,
  type StopPart,
  selectStops,
} from '../../chain/follower/stops.ts'

/** What an operator lifts. The cause `records` ends by itself, when the bucket takes records again. */
const LIFTED: readonly StopCause[] = ['hand', 'difference']

/**
 * Stops payouts and writing of a chain, or lets them go on, as an operator said. Returns what is stopped then; `record` makes the
 * audit entry, in the same batch. `now` in milliseconds.
 */
export async function stopChain(
  { db, now, record }: { db: D1Database; now: number; record: () => D1PreparedStatement[] },
  blockchain: Blockchain,
  order: Record<StopPart, boolean> & { reason: string },
): Promise<Stop[]> {
  const move = (part: StopPart) =>
    order[part]
      ? insertStopStatement(db, blockchain, { part, cause: 'hand', reason: order.reason, since: now })
      : deleteStopsStatement(db, blockchain, part, LIFTED)
  await db.batch([move('payouts'), move('writing'), ...record()])
  return await selectStops(db, blockchain)
}

/** A stop as the API answers it; `since` in Unix seconds. */
export function stopJson({ part, cause, reason, since }: Stop) {
  return { part, cause, reason, since: Math.floor(since / 1000) }
}
