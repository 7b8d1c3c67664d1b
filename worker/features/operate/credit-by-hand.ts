import { formatAmount } from '../../../protocol/amount.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { batchIf, ROUNDS } from '../../platform/d1/guarded-batch.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import { requireAccount } from '../auth/sql/users.ts'
import { type PaymentContext, withWallet } from '../payments/payment-context.ts'
import {
  assertCoveredStatement,
  insertLedgerStatement,
  selectLedgerTail,
  selectSuspended,
} from '../payments/sql/ledger.ts'
import { sumOwed } from '../payments/sql/money-sums.ts'
import { spendableOf } from '../payouts/ask/quote-withdrawal.ts'
import { selectPromisedPayouts } from '../transactions/sql/promises.ts'
import { readHeld } from './read-held.ts'

/** Base units that one act moves at most: as many as an integer of the database holds. */
const MOST_UNITS = 2n ** 63n - 1n

/**
 * Returns the id of the account, which may be named by its email address. Adds an amount to the balance of an account,
 * or deducts it if it is negative, never more than the balance. For a credit, accounts are owed no more than the wallet
 * holds, unless it is `unbacked`: then no node is queried.
 * @throws {AppError} 400, 404, 409, 503
 */
export async function creditByHand(
  context: PaymentContext & {
    record(act: { account: string; amount: bigint; blockchain: Blockchain }): D1PreparedStatement[]
  },
  order: { account: string; blockchain: Blockchain; amount: bigint; unbacked: boolean },
): Promise<{ account: string }> {
  const { db, now, record } = context
  const { account, blockchain, amount, unbacked } = order
  if (amount === 0n) throw invalidField('amount', 'must not be zero.')
  if (amount > MOST_UNITS || amount < -MOST_UNITS) {
    throw invalidField('amount', `must be at most ${formatAmount(MOST_UNITS)}, either way.`)
  }
  const user = await requireAccount(db, account)
  if (amount > 0n && !unbacked) await requireBacking(context, blockchain, amount)
  for (let round = 0; round < ROUNDS; round++) {
    const tail = await selectLedgerTail(db, user.id, blockchain)
    // Credits that are off the chain now are written off if they do not return, so they are not deducted a second time.
    const spendable = spendableOf(tail.balance, amount < 0n ? await selectSuspended(db, user.id, blockchain) : 0n)
    if (spendable + amount < 0n) {
      const message = `${formatAmount(spendable)} of the balance can be spent, so no more than that can be deducted.`
      throw new AppError(409, 'balance_exceeded', message, { details: { balance: formatAmount(spendable) } })
    }
    const move = { amount, cause: `manual:${crypto.randomUUID()}` }
    const moved = await batchIf(db, [
      ...(amount < 0n ? [assertCoveredStatement(db, { userId: user.id, blockchain }, tail.balance + amount)] : []),
      insertLedgerStatement(db, { userId: user.id, blockchain }, tail, [move], now),
      ...record({ account: user.id, amount, blockchain }),
    ])
    if (moved) return { account: user.id }
  }
  throw new AppError(409, 'request_changing', 'Another change of this balance is in progress. Try again.')
}

/**
 * Prevents a typing error from becoming money that nobody has.
 * @throws {AppError} 409, 503 if the node can't be queried.
 */
async function requireBacking(context: PaymentContext, blockchain: Blockchain, amount: bigint): Promise<void> {
  const { db } = context
  const held = await withWallet(context, blockchain, readHeld)
  const owed = (await sumOwed(db, blockchain)) + (await selectPromisedPayouts(db, blockchain))
  const most = held > owed ? held - owed : 0n
  if (amount <= most) return
  const message = `The wallet holds ${formatAmount(held)} and owes ${formatAmount(owed)} already: ${formatAmount(most)} at most can be credited. Where more is meant, send it with "unbacked": true.`
  throw new AppError(409, 'wallet_exceeded', message, { details: { most: formatAmount(most) } })
}
