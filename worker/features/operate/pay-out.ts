import type { NewWithdrawal } from '../../../contract/payment.ts'
import { formatAmount } from '../../../protocol/amount.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { batchIf, ROUNDS } from '../../platform/d1/guarded-batch.ts'
import { AppError } from '../../platform/http/errors.ts'
import { requireAccount, USER_STATUS } from '../auth/sql/users.ts'
import { type PaymentContext, requireWallet, withWallet } from '../payments/payment-context.ts'
import {
  assertCoveredStatement,
  insertLedgerStatement,
  type LedgerTail,
  selectLedgerTail,
  selectSuspended,
} from '../payments/sql/ledger.ts'
import { quotePayout } from '../payouts/ask/quote-withdrawal.ts'
import { SERVICE } from '../payouts/end/end-withdrawal.ts'
import {
  assertNewestWithdrawalStatement,
  insertWithdrawalStatement,
  selectNewestWithdrawal,
} from '../payouts/sql/withdrawals.ts'
import { readLiquidity } from '../transactions/spendable-coins.ts'

/** A payment that an operator ordered; amounts in base units. */
export interface PaidOut {
  id: string
  amount: bigint
  fee: bigint
}

/** Makes what is written in the batch of an act: its audit entry, and its answer for the Idempotency-Key. */
export type RecordPaidOut = (paid: PaidOut, account?: string) => D1PreparedStatement[]

/**
 * Sends coins of the wallet to an address, as the chain's agent sends withdrawals: from coins that nothing uses, and never
 * what open requests and unwritten items were promised for fees. @throws {AppError} 400, 409, 503
 */
export async function sweepCoins(
  context: PaymentContext,
  order: NewWithdrawal,
  record: RecordPaidOut,
): Promise<PaidOut> {
  const { db, now } = context
  const { blockchain, amount } = order
  const quoted = await quote(context, order)
  const { fee } = quoted
  const id = crypto.randomUUID()
  for (let round = 0; round < ROUNDS; round++) {
    const newest = await selectNewestWithdrawal(db)
    await requireFree(context, blockchain, amount + fee)
    const swept = await batchIf(db, [
      // Coins that another sweep reserves are not free for this one.
      assertNewestWithdrawalStatement(db, newest),
      insertWithdrawalStatement(db, withdrawal(id, SERVICE, order, quoted, now)),
      ...record({ id, amount, fee }),
    ])
    if (swept) return { id, amount, fee }
  }
  throw new AppError(409, 'request_changing', 'Another change of the balance is in progress. Try again.')
}

/**
 * Pays what is held for a closed account out to an address, with the fee out of its balance.
 * @throws {AppError} 400, 404, 409, 503
 */
export async function payOutHeld(
  context: PaymentContext,
  account: string,
  order: NewWithdrawal,
  record: RecordPaidOut,
): Promise<PaidOut> {
  const { db, now } = context
  const { blockchain, amount } = order
  const user = await requireAccount(db, account)
  if (user.status !== USER_STATUS.closed) {
    throw new AppError(409, 'account_open', 'This account is not closed, so only its owner can withdraw from it.')
  }
  const quoted = await quote(context, order)
  await readHeld(db, user.id, blockchain, amount + quoted.fee)
  await requireFree(context, blockchain, amount + quoted.fee)
  const id = crypto.randomUUID()
  for (let round = 0; round < ROUNDS; round++) {
    const tail = await readHeld(db, user.id, blockchain, amount + quoted.fee)
    const moves = [
      { amount: -amount, cause: `withdrawal:${id}` },
      { amount: -quoted.fee, cause: `withdrawal-fee:${id}` },
    ]
    const paid = await batchIf(db, [
      assertCoveredStatement(db, { userId: user.id, blockchain }, tail.balance - amount - quoted.fee),
      insertLedgerStatement(db, { userId: user.id, blockchain }, tail, moves, now),
      insertWithdrawalStatement(db, withdrawal(id, user.id, order, quoted, now)),
      ...record({ id, amount, fee: quoted.fee }, user.id),
    ])
    if (paid) return { id, amount, fee: quoted.fee }
  }
  throw new AppError(409, 'request_changing', 'Another change of this balance is in progress. Try again.')
}

/** The end of an account's ledger, if at least `need` base units are held for it. @throws {AppError} 409 */
async function readHeld(db: D1Database, userId: string, blockchain: Blockchain, need: bigint): Promise<LedgerTail> {
  const tail = await selectLedgerTail(db, userId, blockchain)
  const held = tail.balance - (await selectSuspended(db, userId, blockchain))
  if (held >= need) return tail
  const message = `${formatAmount(held)} coins are held, and ${formatAmount(need)} are needed with the fee.`
  throw new AppError(409, 'balance_exceeded', message, { details: { balance: formatAmount(held) } })
}

/**
 * Refuses a payout if the wallet has not `need` base units free beside what is promised. @throws {AppError} 409, 503
 */
async function requireFree(context: PaymentContext, blockchain: Blockchain, need: bigint): Promise<void> {
  const { free, promised } = await withWallet(context, blockchain, (rpc) =>
    readLiquidity({ ...context, rpc, blockchain }),
  )
  if (free >= need + promised) return
  const message = `${formatAmount(free)} coins are free, of which ${formatAmount(promised)} are promised for fees and withdrawals: ${formatAmount(need)} are needed with the fee.`
  throw new AppError(409, 'balance_exceeded', message, { details: { balance: formatAmount(free) } })
}

/** Whether the wallet has enough is checked separately: that error names both amounts. */
async function quote(context: PaymentContext, order: NewWithdrawal): Promise<Quote> {
  return await withWallet(context, order.blockchain, async (rpc) => {
    const quoted = await quotePayout(rpc, order, context.config)
    await requireWallet(context, rpc, order.blockchain, 0n)
    return quoted
  })
}

type Quote = Awaited<ReturnType<typeof quotePayout>>

function withdrawal(id: string, userId: string, order: NewWithdrawal, quoted: Quote, now: number) {
  const { blockchain, address, amount } = order
  return { id, userId, blockchain, address, amount, ...quoted, createdAt: now }
}
