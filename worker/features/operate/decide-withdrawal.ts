import type { WithdrawalAct } from '../../../contract/states.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError } from '../../platform/http/errors.ts'
import { endUnsigned, requireKnownPayouts, requireOpen, requireWithdrawal } from '../withdrawals/end-withdrawal.ts'
import { approveStatements, beginEndingStatements } from '../withdrawals/sql/withdrawal-ends.ts'
import type { Withdrawal } from '../withdrawals/sql/withdrawals.ts'

const COMING_BACK =
  'The operator ends it. The coin that it was to be paid with is spent back to the wallet first, so that it cannot be paid as well.'

/**
 * Does what an operator decided about a withdrawal: lets one that is held be sent, or ends one, at once where nothing was ever signed
 * for it, else when its coin is back in the wallet and confirmed. `record` makes what stands in the same batch. Returns it as it was.
 * @throws {AppError} 404, 409, 503
 */
export async function decideWithdrawal(
  { db, now, record }: { db: D1Database; now: number; record: (withdrawal: Withdrawal) => D1PreparedStatement[] },
  id: string,
  act: WithdrawalAct,
): Promise<Withdrawal> {
  const withdrawal = await requireWithdrawal(db, id)
  requireOpen(withdrawal)
  if (act === 'approve') {
    if (await batchIf(db, [...approveStatements(db, id), ...record(withdrawal)])) return withdrawal
    throw new AppError(409, 'withdrawal_not_held', 'This withdrawal is not held: there is nothing to approve.')
  }
  await requireKnownPayouts(db, withdrawal.blockchain)
  const ending = act === 'refund' ? 'refunded' : 'paid_elsewhere'
  const ended = await endUnsigned(db, id, ending, now, record)
  if (ended) return ended
  const begun = beginEndingStatements(db, id, { ending, reason: COMING_BACK }, now)
  if (await batchIf(db, [...begun, ...record(withdrawal)])) return withdrawal
  throw new AppError(
    409,
    'request_changing',
    'The withdrawal changed while it was being decided, or ends already. Look again.',
  )
}
