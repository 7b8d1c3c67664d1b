import type { NewWithdrawal } from '../../../../contract/payment.ts'
import { type Blockchain, CHAINS } from '../../../../protocol/chains.ts'
import { findAddressScript } from '../../../chain/rpc/address-methods.ts'
import { readFeeRate } from '../../../chain/rpc/fund-methods.ts'
import type { WalletRpc } from '../../../chain/rpc/wallet-rpc.ts'
import { unixSeconds } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import { coinsJson } from '../../../platform/http/coins-json.ts'
import { invalidField } from '../../../platform/http/errors.ts'
import { type PaymentContext, withWallet } from '../../payments/payment-context.ts'
import { recentFeeRate } from '../../payments/recent-fee-rate.ts'
import { selectLedgerTail, selectSuspended } from '../../payments/sql/ledger.ts'
import { requireFee, withdrawalFee } from './withdrawal-fee.ts'

/** What can be spent of a balance of which so much is off the chain now, in base units. Pure. */
export function spendableOf(balance: bigint, suspended: bigint): bigint {
  return balance > suspended ? balance - suspended : 0n
}

/** What a user can spend of a balance, in base units. */
export async function selectSpendable(db: D1Database, userId: string, blockchain: Blockchain): Promise<bigint> {
  const { balance } = await selectLedgerTail(db, userId, blockchain)
  return spendableOf(balance, await selectSuspended(db, userId, blockchain))
}

/**
 * The script of the address that money is to be paid out to, the fee rate of now, and the fee; base units.
 * @throws {AppError} 400 if the chain's own node says that the address is invalid, 409 above `maxFee`; {@link NodeError}
 */
export async function quotePayout(
  rpc: WalletRpc,
  { blockchain, address, maxFee }: NewWithdrawal,
  { withdrawalInputs }: Pick<Config, 'withdrawalInputs'>,
): Promise<{ script: string; feeRate: bigint; fee: bigint }> {
  const script = await findAddressScript(rpc, address)
  if (script === undefined) throw invalidField('address', `must be an address of ${blockchain}.`)
  const feeRate = await readFeeRate(rpc, blockchain, { quote: true })
  const fee = withdrawalFee(blockchain, feeRate, withdrawalInputs)
  requireFee(fee, maxFee)
  return { script, feeRate, fee }
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
