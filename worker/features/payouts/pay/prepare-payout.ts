import { formatAmount } from '../../../../protocol/amount.ts'
import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { readUnspent } from '../../../chain/rpc/transaction-methods.ts'
import type { PayoutLimits } from '../../../platform/config/config.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { selectLedgerTail, selectSuspended } from '../../payments/sql/ledger.ts'
import type { Coin } from '../../transactions/sql/tx-chains.ts'
import { SERVICE } from '../end/end-withdrawal.ts'
import { PayoutError, settleSpent } from '../end/settle-spent.ts'
import { withdrawalEventStatement } from '../end/withdrawal-event.ts'
import { getLastPayout } from '../record/payout-records.ts'
import { type PayoutSums, selectPayoutSums } from '../sql/payout-sums.ts'
import { holdStatements } from '../sql/withdrawal-ends.ts'
import { noteWaitingStatement } from '../sql/withdrawal-reasons.ts'
import type { Withdrawal } from '../sql/withdrawals.ts'

export const FEE_TOO_HIGH =
  "The network's fees are far above the fee of this withdrawal now. It is sent automatically when they fall, or when you consent to a higher fee."
export const PAYOUTS_STOPPED =
  'The operator has stopped payouts on this chain for now. It is sent automatically when they resume.'
const OFF_CHAIN =
  'A deposit in your balance is not in the chain for now. It is sent automatically when the deposit is back in a block.'
/** What keeps it from being made is the operator's to know. */
export const NOT_MADE = 'The service could not make its transaction just now. It is tried again automatically.'

/** What a withdrawal that may be paid is paid with: the coin that it is tied to, and the payouts that its limits were checked with. */
export interface PayablePayout {
  coin: Coin | undefined
  sums: PayoutSums | undefined
}

/**
 * Whether a withdrawal may be paid now. `undefined` where it is paid already, waits for money that is off the chain, or is above a limit
 * and held: then that is noted. @throws {PayoutError} where its coin is spent by something else. {@link NodeError}
 */
export async function preparePayout(
  context: AgentContext,
  tip: BlockPosition,
  withdrawal: Withdrawal,
): Promise<PayablePayout | undefined> {
  const { db, bucket, rpc, blockchain, config, now } = context
  const { id, userId, amount } = withdrawal
  // A restored database has lost what it was tied to, and a wallet may have lost what paid it: both can't spend one coin.
  const coin = withdrawal.coin ?? (await getLastPayout(bucket, blockchain, id))?.paid.coin
  if (coin && !(await readUnspent(rpc, [coin], { mempool: true }))[0]) {
    await settleSpent(context, tip, withdrawal)
    return undefined
  }
  // Money that a reorganisation has removed is not paid out before it is back.
  const { balance } = await selectLedgerTail(db, userId, blockchain)
  if ((await selectSuspended(db, userId, blockchain)) > balance) {
    await notifyWaiting(context, withdrawal, OFF_CHAIN)
    return undefined
  }
  const limits = config.chains[blockchain].payoutLimits
  const isLimited = !coin && !withdrawal.approved && userId !== SERVICE && hasPayoutLimit(limits)
  const sums = isLimited ? await selectPayoutSums(db, blockchain, userId, now) : undefined
  const limit = sums && findPayoutLimit(amount, sums, limits)
  if (limit === undefined) return { coin, sums }
  const told = withdrawalEventStatement(db, withdrawal, 'held', now)
  if (await batchIf(db, [...holdStatements(db, id, limit, now), told])) {
    console.warn('payout_held', blockchain, id, limit)
  }
  return undefined
}

/** Tells the owner of a withdrawal that its transaction could not be made. */
export async function tellNotMade(context: AgentContext, withdrawal: Withdrawal, error: unknown): Promise<void> {
  await notifyWaiting(context, withdrawal, error instanceof PayoutError ? error.told : NOT_MADE)
}

/** Says what withdrawals wait for, once. */
export async function notifyWaiting(
  { db, blockchain, now }: AgentContext,
  withdrawals: Withdrawal | readonly Withdrawal[],
  why: string,
): Promise<void> {
  const untold = [withdrawals].flat().filter(({ reason }) => reason !== why)
  const ids = untold.map(({ id }) => id)
  if (ids.length === 0) return
  const others = ids.length > 1 ? `, and ${ids.length - 1} others` : ''
  if (why === FEE_TOO_HIGH) console.warn('fees_above_ceiling', blockchain, `withdrawal ${ids[0]} waits${others}`)
  await noteWaitingStatement(db, ids, why, now).run()
}

/**
 * Why a payout of `amount` base units is held, for its owner: the first limit that it would pass, of the account, so that one can't
 * use up what is for all, and then of all. `undefined` where it passes none. Pure.
 */
export function findPayoutLimit(
  amount: bigint,
  { own, all }: Pick<PayoutSums, 'own' | 'all'>,
  limits: PayoutLimits,
): string | undefined {
  const rules = [
    { limit: limits.accountHour, used: own.hour, what: 'what one account may take out in an hour' },
    { limit: limits.accountDay, used: own.day, what: 'what one account may take out in a day' },
    { limit: limits.hour, used: all.hour, what: 'what the service pays out in an hour' },
    { limit: limits.day, used: all.day, what: 'what the service pays out in a day' },
  ]
  const passed = rules.find(({ limit, used }) => limit !== undefined && used + amount > limit)
  if (passed?.limit === undefined) return undefined
  return `It is above ${passed.what} (${formatAmount(passed.limit)}). It is sent when the operator approves it.`
}

/** Whether any limit is set. Pure. */
function hasPayoutLimit(limits: PayoutLimits): boolean {
  return Object.values(limits).some((limit) => limit !== undefined)
}
