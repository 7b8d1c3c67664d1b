import { selectStoppedParts } from '../../chain/follower/stops.ts'
import { findRejectReason, finishPsbt } from '../../chain/rpc/psbt-methods.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError, invalidField, notFound, unavailable } from '../../platform/http/errors.ts'
import { type PaymentContext, withWallet } from '../payments/payment-context.ts'
import { requireOpen, requireWithdrawal } from '../withdrawals/end-withdrawal.ts'
import type { Withdrawal } from '../withdrawals/sql/withdrawals.ts'
import { isSigned } from './check-psbt.ts'
import { type HandedPsbt, keepSignedStatements, selectPsbt } from './sql/psbts.ts'

/** A PSBT that came back, with what it pays. */
export interface ReturnedPsbt {
  handed: HandedPsbt
  withdrawal: Withdrawal
}

/**
 * Takes a PSBT, base64, that came back signed: where it is the transaction that was handed out for this withdrawal, with all its
 * signatures, and the node would take it now. The chain's agent sends it. The same again changes nothing. `record` makes what is in the same batch.
 * @throws {AppError} 400, 404, 409, 503
 */
export async function returnPsbt(
  context: PaymentContext,
  id: string,
  back: string,
  record: (returned: ReturnedPsbt) => D1PreparedStatement[],
): Promise<ReturnedPsbt> {
  const { db } = context
  const handed = await selectPsbt(db, id)
  if (!handed?.offered)
    throw notFound('No PSBT of this withdrawal is waiting to be signed. GET /v0/operate/psbt lists those that are.')
  const withdrawal = await requireWithdrawal(db, id)
  requireOpen(withdrawal)
  if (withdrawal.ending) throw new AppError(409, 'withdrawal_ended', 'An operator is ending this withdrawal.')
  if ((await selectStoppedParts(db, handed.blockchain)).has('payouts')) {
    const message = `Payouts of ${handed.blockchain} are stopped. Send it again when they go on.`
    throw unavailable('payouts_stopped', message, { retryAfter: 600 })
  }
  const hex = await withWallet(context, handed.blockchain, async (rpc) => {
    const finished = await finishPsbt(rpc, handed.psbt, back)
    if ('problem' in finished && finished.problem === 'unsigned') throw invalidField('psbt', 'lacks signatures.')
    if ('problem' in finished || !isSigned(finished.hex, handed.psbt)) {
      throw invalidField(
        'psbt',
        'must be the PSBT that was offered, signed: this is not a PSBT, or one of another transaction.',
      )
    }
    const refusal = await findRejectReason(rpc, finished.hex)
    if (refusal === undefined) return finished.hex
    throw new AppError(
      409,
      'psbt_refused',
      `The node rejects the transaction now: ${refusal}. The PSBT can still be returned.`,
    )
  })
  const returned = { handed, withdrawal }
  if (await batchIf(db, [...keepSignedStatements(db, handed, hex), ...record(returned)])) return returned
  throw new AppError(409, 'request_changing', 'The withdrawal has changed since you read it. Read it again.')
}
