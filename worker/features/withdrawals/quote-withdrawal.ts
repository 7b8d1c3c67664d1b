import type { Blockchain } from '../../../protocol/chains.ts'
import { CHAINS } from '../../../protocol/chains.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { type PaymentContext, withWallet } from '../payments/payment-context.ts'
import { recentFeeRate } from '../payments/recent-fee-rate.ts'
import { selectLedgerTail, selectSuspended } from '../payments/sql/ledger.ts'
import { withdrawalFee } from './withdrawal-fee.ts'

/** What can be spent of a balance of which so much is off the chain now, in base units. Pure. */
export function spendableOf(balance: bigint, suspended: bigint): bigint {
  return balance > suspended ? balance - suspended : 0n
}

/** What a user can spend of a balance, in base units. */
export async function selectSpendable(db: D1Database, userId: string, blockchain: Blockchain): Promise<bigint> {
  const { balance } = await selectLedgerTail(db, userId, blockchain)
  return spendableOf(balance, await selectSuspended(db, userId, blockchain))
}

/** What a withdrawal costs now and the most that the caller could take out, as JSON text. @throws {AppError} 503 */
export async function quoteWithdrawal(
  context: PaymentContext,
  userId: string,
  blockchain: Blockchain,
): Promise<string> {
  const { db, now } = context
  const { rate, readAt } = await withWallet(context, blockchain, (rpc) => recentFeeRate(rpc, blockchain, now))
  const fee = withdrawalFee(blockchain, rate, context.config.withdrawalInputs)
  const left = (await selectSpendable(db, userId, blockchain)) - fee
  const most = left >= CHAINS[blockchain].dust ? left : 0n
  return coinsJson({ readAt: unixSeconds(readAt) }, { fee, most })
}
