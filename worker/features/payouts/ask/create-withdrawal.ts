import type { NewWithdrawal } from '../../../../contract/payment.ts'
import { formatAmount } from '../../../../protocol/amount.ts'
import { batchIf, ROUNDS } from '../../../platform/d1/guarded-batch.ts'
import { AppError, tooManyRequests, unavailable } from '../../../platform/http/errors.ts'
import type { RecordAnswer } from '../../auth/idempotency/idempotent.ts'
import { assertNotClosedStatement } from '../../auth/sql/users.ts'
import { type PaymentContext, requireWallet, withWallet } from '../../payments/payment-context.ts'
import {
  assertCoveredStatement,
  insertLedgerStatement,
  selectLedgerTail,
  selectSuspended,
} from '../../payments/sql/ledger.ts'
import { withdrawalAuditStatement } from '../end/withdrawal-event.ts'
import {
  type AskedWithdrawal,
  assertFewWithdrawalsStatement,
  insertWithdrawalStatement,
  selectWaitingCount,
} from '../sql/withdrawals.ts'
import { quotePayout, selectSpendable, spendableOf } from './quote-withdrawal.ts'
import { withdrawalJson } from './withdrawal-json.ts'

/** Withdrawals of an account that may wait at once: each takes a coin of the wallet. */
const MAX_WAITING = 20

/**
 * Takes a withdrawal and its fee out of the caller's balance and leaves it to the chain's agent to send: in one
 * transaction of the database with the answer, as JSON text. An address is good if the chain's own node says so.
 * @throws {AppError} 400, 409 with `balance` and `fee` where they do not go together, 429, 503
 */
export async function createWithdrawal(
  context: PaymentContext,
  userId: string,
  order: NewWithdrawal,
  record: RecordAnswer = () => [],
): Promise<string> {
  const { blockchain, address, amount } = order
  const quoted = await withWallet(context, blockchain, async (rpc) => {
    const quoted = await quotePayout(rpc, order, context.config)
    const { fee } = quoted
    const spendable = await selectSpendable(context.db, userId, blockchain)
    if (spendable < amount + fee) throw balanceTooLow(spendable, fee, amount)
    await requireWallet(context, rpc, blockchain, amount + fee)
    return quoted
  })
  const asked = { id: crypto.randomUUID(), userId, blockchain, address, amount, createdAt: context.now }
  const waiting = { ...asked, ...quoted }
  const unsent = {
    state: 'waiting',
    reason: undefined,
    since: undefined,
    txid: undefined,
    blockHeight: undefined,
  } as const
  const answer = withdrawalJson({ ...waiting, ...unsent })
  for (let round = 0; round < ROUNDS; round++) {
    if (await debit(context, waiting, () => record({ status: 201, json: answer }))) return answer
  }
  throw unavailable('busy', 'Another change of your balance is in progress. Try again.')
}

/** `false` when what was read had changed before it was written. @throws {AppError} 409, 429 */
async function debit(
  { db, now }: PaymentContext,
  withdrawal: AskedWithdrawal,
  record: () => D1PreparedStatement[],
): Promise<boolean> {
  const { id, userId, blockchain, amount, fee } = withdrawal
  if ((await selectWaitingCount(db, userId)) >= MAX_WAITING) {
    const message = `You have ${MAX_WAITING} withdrawals waiting to be sent. Try again when some of them are sent.`
    throw tooManyRequests(60, message, 'withdrawals')
  }
  const tail = await selectLedgerTail(db, userId, blockchain)
  const suspended = await selectSuspended(db, userId, blockchain)
  const spendable = spendableOf(tail.balance, suspended)
  if (spendable < amount + fee) throw balanceTooLow(spendable, fee, amount)
  const moves = [
    { amount: -amount, cause: `withdrawal:${id}` },
    { amount: -fee, cause: `withdrawal-fee:${id}` },
  ]
  return await batchIf(db, [
    // Closed meanwhile: what is left of it is the operator's to pay out.
    assertNotClosedStatement(db, userId),
    assertFewWithdrawalsStatement(db, userId, MAX_WAITING),
    assertCoveredStatement(db, withdrawal, tail.balance - amount - fee),
    insertLedgerStatement(db, withdrawal, tail, moves, now),
    insertWithdrawalStatement(db, withdrawal),
    withdrawalAuditStatement(db, withdrawal, { at: now, actor: userId, act: 'withdrawal.asked' }),
    ...record(),
  ])
}

function balanceTooLow(balance: bigint, fee: bigint, amount: bigint): AppError {
  const most = balance > fee ? balance - fee : 0n
  const message = `Your balance is ${formatAmount(balance)} and the network's fee ${formatAmount(fee)}: at most ${formatAmount(most)} can be taken out, not ${formatAmount(amount)}.`
  return new AppError(409, 'balance_too_low', message, { details: { balance: coins(balance), fee: coins(fee) } })
}

function coins(units: bigint): number {
  return Number(formatAmount(units))
}
