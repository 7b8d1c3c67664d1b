import type { StopCause, StopPart } from '../../../contract/states.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { retryFailedRecordStatement } from '../../chain/follower/failed-records.ts'
import {
  deleteStopsStatement,
  followAgentStatements,
  insertStopStatement,
  type Stop,
  selectStops,
} from '../../chain/follower/stops.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { EndingContext } from '../payouts/end/end-withdrawal.ts'
import { requireSettled } from '../payouts/restore/notice-restore.ts'
import { assertAssignedStatement } from '../transactions/sql/list-sends.ts'
import { selectUnassigned } from '../transactions/sql/sends.ts'

/** Causes of stops that an operator lifts. The cause `records` ends by itself, when the bucket stores records again. */
const LIFTED: readonly StopCause[] = ['hand', 'difference', 'restored', 'sends']
/** Those that are lifted only when all that left the wallet is assigned. */
const ASSIGNED_FIRST: readonly StopCause[] = ['restored', 'sends']

/**
 * Stops payouts and writing of a chain, or lets them go on, as an operator said. Returns what is stopped then; `record` makes the
 * audit entry, in the same batch. `now` in milliseconds. @throws {AppError} 409 where something has left the wallet meanwhile
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
  const released = order.payouts
    ? []
    : [
        ...((await isAssignedFirst(db, blockchain)) ? [assertAssignedStatement(db, blockchain)] : []),
        ...followAgentStatements(db, blockchain),
        retryFailedRecordStatement(db, { blockchain, kind: 'withdrawal' }),
      ]
  if (await batchIf(db, [...released, move('payouts'), move('writing'), ...record()]))
    return await selectStops(db, blockchain)
  const message = 'Something has left the wallet that is not assigned: GET /v0/operate/send lists it.'
  throw new AppError(409, 'sends_unassigned', message)
}

async function isAssignedFirst(db: D1Database, blockchain: Blockchain): Promise<boolean> {
  return (await selectStops(db, blockchain)).some(({ cause }) => ASSIGNED_FIRST.includes(cause))
}

/** A stop as the API answers it; `since` in Unix seconds. */
export function stopJson({ part, cause, reason, since }: Stop) {
  return { part, cause, reason, since: Math.floor(since / 1000) }
}

/**
 * Lets payouts go on after a restore, or after something unknown left the wallet, only when all that left it is assigned. After a
 * restore the chain's agent looks before whether there was another since (`noticeRestore`), and all that left the wallet since has to
 * be taken in. @throws {AppError} 409, 503
 */
export async function requireAssigned(
  { db, noticeRestore }: Pick<EndingContext, 'db' | 'noticeRestore'>,
  blockchain: Blockchain,
): Promise<void> {
  const causes = (await selectStops(db, blockchain)).map(({ cause }) => cause)
  if (!ASSIGNED_FIRST.some((cause) => causes.includes(cause))) return
  if (causes.includes('restored')) {
    await noticeRestore(blockchain)
    await requireSettled(db, blockchain)
  }
  const [first] = await selectUnassigned(db, 1, blockchain)
  if (!first) return
  const message = `${first.txid} left the wallet and is not assigned: GET /v0/operate/send lists what is.`
  throw new AppError(409, 'sends_unassigned', message)
}
