import type { WithdrawalAct } from '../../../contract/states.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError } from '../../platform/http/errors.ts'
import {
  beginEnding,
  type EndingContext,
  endUnsigned,
  requireLookedUpPayouts,
  requireOpen,
  requireWithdrawal,
} from '../payouts/end/end-withdrawal.ts'
import { decideUnknownPayout, hasUnknownPayout } from '../payouts/end/unknown-payout.ts'
import { approveStatements } from '../payouts/sql/withdrawal-ends.ts'
import type { Withdrawal } from '../payouts/sql/withdrawals.ts'

/**
 * Does what an operator decided about a withdrawal: lets one that is held be sent, or ends one, at once where nothing was ever signed
 * for it, else when its coin is back in the wallet and confirmed, or says what became of a payout that nobody knows. `record` makes what is in the same batch. Returns it as it was.
 * @throws {AppError} 404, 409, 503
 */
export async function decideWithdrawal(
  context: EndingContext & { record: (withdrawal: Withdrawal) => D1PreparedStatement[] },
  id: string,
  act: WithdrawalAct,
): Promise<Withdrawal> {
  const { db, record } = context
  const withdrawal = await requireWithdrawal(db, id)
  requireOpen(withdrawal)
  if (act === 'approve') {
    if (await batchIf(db, [...approveStatements(db, id), ...record(withdrawal)])) return withdrawal
    throw new AppError(409, 'withdrawal_not_held', 'This withdrawal is not held, so there is nothing to approve.')
  }
  await requireLookedUpPayouts(db, withdrawal.blockchain)
  const ending = act === 'refund' ? 'refunded' : 'paid_elsewhere'
  if (hasUnknownPayout(withdrawal)) return await decideUnknownPayout(context, withdrawal, ending, record)
  return (await endUnsigned(context, id, ending, record)) ?? (await beginEnding(context, id, ending, record))
}
