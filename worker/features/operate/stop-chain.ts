import type { StopCause, StopPart } from '../../../contract/states.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { retryFailedRecordStatement } from '../../chain/follower/failed-records.ts'
import {
  deleteStopsStatement,
  insertStopStatement,
  raiseToAgentNumberStatement,
  type Stop,
  selectStops,
} from '../../chain/follower/stops.ts'
import { AppError } from '../../platform/http/errors.ts'
import { type PaymentContext, withWallet } from '../payments/payment-context.ts'
import type { EndingContext } from '../withdrawals/end-withdrawal.ts'
import { requireSettled } from '../withdrawals/notice-restore.ts'
import { compareSends } from './compare-sends.ts'
import { selectUnassigned } from './sql/sends.ts'

/** Causes of stops that an operator lifts. The cause `records` ends by itself, when the bucket stores records again. */
const LIFTED: readonly StopCause[] = ['hand', 'difference', 'restored']

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
  const released = order.payouts
    ? []
    : [raiseToAgentNumberStatement(db, blockchain), retryFailedRecordStatement(db, { blockchain, kind: 'withdrawal' })]
  await db.batch([...released, move('payouts'), move('writing'), ...record()])
  return await selectStops(db, blockchain)
}

/** A stop as the API answers it; `since` in Unix seconds. */
export function stopJson({ part, cause, reason, since }: Stop) {
  return { part, cause, reason, since: Math.floor(since / 1000) }
}

/**
 * Lets payouts go on after a restore only when all that left the wallet since is assigned: it is looked for now, once more, and
 * before that the chain's agent looks whether there was another restore since (`noticeRestore`).
 * @throws {AppError} 409, 503
 */
export async function requireAssigned(
  context: PaymentContext & Pick<EndingContext, 'noticeRestore'>,
  blockchain: Blockchain,
): Promise<void> {
  const { db, now } = context
  if (!(await selectStops(db, blockchain)).some(({ cause }) => cause === 'restored')) return
  await context.noticeRestore(blockchain)
  await requireSettled(db, blockchain)
  await withWallet(context, blockchain, (rpc) => compareSends(db, rpc, blockchain, now))
  const [first] = await selectUnassigned(db, 1, blockchain)
  if (!first) return
  const message = `${first.txid} left the wallet and is not assigned: GET /v0/operate/send lists what is.`
  throw new AppError(409, 'sends_unassigned', message)
}
