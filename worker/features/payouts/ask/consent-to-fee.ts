import { formatAmount } from '../../../../protocol/amount.ts'
import { retryFailedRecordStatement } from '../../../chain/follower/failed-records.ts'
import { readFeeRate } from '../../../chain/rpc/fund-methods.ts'
import { batchIf, ROUNDS } from '../../../platform/d1/guarded-batch.ts'
import { AppError, unavailable } from '../../../platform/http/errors.ts'
import { type PaymentContext, withWallet } from '../../payments/payment-context.ts'
import { assertCoveredStatement, insertLedgerStatement, selectLedgerTail } from '../../payments/sql/ledger.ts'
import { selectTransactionsOf } from '../../transactions/sql/payout-transactions.ts'
import { requireOpen, requireWithdrawal } from '../end/end-withdrawal.ts'
import { raiseFeeStatements } from '../sql/withdrawal-ends.ts'
import type { Withdrawal } from '../sql/withdrawals.ts'
import { selectSpendable } from './quote-withdrawal.ts'
import { requireFee, withdrawalFee } from './withdrawal-fee.ts'

/**
 * Debits the increase of the network's fee since a withdrawal was requested, up to a fee of `maxFee` in all, so that it need not wait
 * for fees to fall. Nothing is debited where they have not risen, or once its transaction is in a block. Returns the withdrawal as it
 * was. A second, equal call debits nothing more.
 * @throws {AppError} 404, 409 where it is over, where the fee is above `maxFee` or the balance too low, 503
 */
export async function consentToFee(
  context: PaymentContext,
  userId: string,
  { id, maxFee }: { id: string; maxFee: bigint },
): Promise<Withdrawal> {
  const { db, now } = context
  const { blockchain } = await requireWithdrawal(db, id, userId)
  const feeRate = await withWallet(context, blockchain, (rpc) => readFeeRate(rpc, blockchain, { quote: true }))
  const fee = withdrawalFee(blockchain, feeRate, context.config.withdrawalInputs)
  for (let round = 0; round < ROUNDS; round++) {
    const withdrawal = await requireWithdrawal(db, id, userId)
    requireOpen(withdrawal)
    if (withdrawal.ending) throw new AppError(409, 'withdrawal_ended', 'An operator is ending this withdrawal.')
    // In a block it waits for no fee any more.
    const isMined = (await selectTransactionsOf(db, id)).some(({ state }) => state === 'mined')
    if (isMined || fee <= withdrawal.fee) return withdrawal
    requireFee(fee, maxFee)
    const more = fee - withdrawal.fee
    const spendable = await selectSpendable(db, userId, blockchain)
    if (spendable < more) throw balanceTooLow(spendable, more)
    const tail = await selectLedgerTail(db, userId, blockchain)
    const move = { amount: -more, cause: `withdrawal-fee:${id}:${fee}` }
    const raised = await batchIf(db, [
      ...raiseFeeStatements(db, id, { was: withdrawal.fee, fee, feeRate }),
      assertCoveredStatement(db, withdrawal, tail.balance - more),
      insertLedgerStatement(db, withdrawal, tail, [move], now),
      // What was refused, or not made, for its fee.
      ...['refused', 'withdrawal'].map((kind) => retryFailedRecordStatement(db, { blockchain, kind, id })),
    ])
    if (raised) return withdrawal
  }
  throw unavailable('busy', 'Another change of your balance is in progress. Try again.')
}

function balanceTooLow(balance: bigint, fee: bigint): AppError {
  const message = `Your balance is ${formatAmount(balance)}, and the fee has risen by ${formatAmount(fee)}.`
  const details = { balance: Number(formatAmount(balance)), fee: Number(formatAmount(fee)) }
  return new AppError(409, 'balance_too_low', message, { details })
}
