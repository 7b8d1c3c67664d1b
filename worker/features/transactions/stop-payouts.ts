import type { StopCause } from '../../../contract/states.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { assertNotStoppedForStatement, insertStopStatement } from '../../chain/follower/stops.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { insertAuditStatement } from '../../platform/records/audit-log.ts'
import { notifyOperatorsStatements } from '../auth/sql/operator-notices.ts'

const WHAT_TO_DO =
  'Look at GET /v0/operate/health. When it is clear what happened, let payouts go on: PUT /v0/operate/stop/<chain> with "payouts": false.'

/** Why payouts are stopped; `reason` is a sentence. */
interface PayoutStop {
  cause: Exclude<StopCause, 'hand'>
  reason: string
}

/**
 * The statements that stop the payouts of a chain, and notify operators by event, webhook and mail. They fail their batch where payouts
 * are stopped for this cause already. `now` in milliseconds.
 */
export function stopPayoutsStatements(
  db: D1Database,
  blockchain: Blockchain,
  { cause, reason }: PayoutStop,
  now: number,
): D1PreparedStatement[] {
  return [
    assertNotStoppedForStatement(db, blockchain, 'payouts', cause),
    insertStopStatement(db, blockchain, { part: 'payouts', cause, reason, since: now }),
    insertAuditStatement(db, {
      at: now,
      actor: 'service',
      act: 'chain.stopped',
      subject: 'part:payouts',
      reason,
      blockchain,
    }),
    ...notifyOperatorsStatements(db, {
      ...{ type: 'payouts.stopped', subject: blockchain, at: now },
      data: JSON.stringify({ blockchain, cause, reason }),
      lines: [`Payouts of ${blockchain} are stopped. ${reason}`, WHAT_TO_DO],
    }),
  ]
}

/**
 * Stops the payouts of a chain by itself. `false`, and nobody is told, where they are stopped for this cause already, or one of the
 * `assertions` fails.
 */
export async function stopPayouts(
  db: D1Database,
  blockchain: Blockchain,
  stop: PayoutStop,
  now: number,
  assertions: readonly D1PreparedStatement[] = [],
): Promise<boolean> {
  const stopped = await batchIf(db, [...assertions, ...stopPayoutsStatements(db, blockchain, stop, now)])
  if (stopped) console.error('payouts_stopped', blockchain, stop.cause, stop.reason)
  return stopped
}
