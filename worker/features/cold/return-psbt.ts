import type { SignedPsbt } from '../../../contract/operate.ts'
import { CHAINS } from '../../../protocol/chains.ts'
import { selectStoppedParts } from '../../chain/follower/stops.ts'
import { findRejectReason, finishPsbt } from '../../chain/rpc/psbt-methods.ts'
import type { WalletRpc } from '../../chain/rpc/wallet-rpc.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError, invalidField, notFound, unavailable } from '../../platform/http/errors.ts'
import { type PaymentContext, withWallet } from '../payments/payment-context.ts'
import { requireOpen, requireWithdrawal } from '../withdrawals/end-withdrawal.ts'
import type { Withdrawal } from '../withdrawals/sql/withdrawals.ts'
import { isSigned } from './check-psbt.ts'
import { findRawRejectReason, finishRaw } from './finish-raw.ts'
import { type HandedPsbt, keepSignedStatements, selectPsbt } from './sql/psbts.ts'

/** A PSBT that came back, with what it pays. */
export interface ReturnedPsbt {
  /** With the hex of the signed transaction. */
  handed: HandedPsbt
  withdrawal: Withdrawal
}

/**
 * Takes a PSBT or a raw transaction that came back signed: where it is the transaction that was handed out for this withdrawal, with all its
 * signatures, and the node would take it now. The chain's agent sends it. The same again changes nothing. `record` makes what is in the same batch.
 * @throws {AppError} 400, 404, 409, 503
 */
export async function returnPsbt(
  context: PaymentContext,
  id: string,
  back: SignedPsbt,
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
    const { finished, refusal } = await finish(rpc, handed, back)
    if (refusal === undefined) return finished
    throw new AppError(
      409,
      'psbt_refused',
      `The node rejects the transaction now: ${refusal}. The PSBT can still be returned.`,
    )
  })
  const returned = { handed: { ...handed, signed: hex }, withdrawal }
  if (await batchIf(db, [...keepSignedStatements(db, handed, hex), ...record(returned)])) return returned
  throw new AppError(409, 'request_changing', 'The withdrawal has changed since you read it. Read it again.')
}

/** The hex of the signed transaction, and why the node would not take it now. @throws {AppError} 400 */
async function finish(
  rpc: WalletRpc,
  handed: HandedPsbt,
  { psbt, hex }: SignedPsbt,
): Promise<{ finished: string; refusal: string | undefined }> {
  const { blockchain } = handed
  if (!CHAINS[blockchain].segwit) {
    if (hex === undefined) throw invalidField('hex', `is missing: a node of ${blockchain} knows no PSBTs.`)
    const finished = await finishRaw(rpc, blockchain, handed.psbt, hex)
    return { finished, refusal: await findRawRejectReason(rpc, blockchain, handed, finished) }
  }
  if (psbt === undefined) throw invalidField('psbt', 'is missing.')
  const finished = await finishPsbt(rpc, handed.psbt, psbt)
  if ('problem' in finished && finished.problem === 'unsigned') throw invalidField('psbt', 'lacks signatures.')
  if ('problem' in finished || !isSigned(finished.hex, handed.psbt)) {
    throw invalidField(
      'psbt',
      'must be the PSBT that was offered, signed: this is not a PSBT, or one of another transaction.',
    )
  }
  return { finished: finished.hex, refusal: await findRejectReason(rpc, finished.hex) }
}
