import { formatAmount } from '../../../../protocol/amount.ts'
import type { PayoutLimits } from '../../../platform/config/config.ts'
import type { PayoutSums } from '../sql/payout-sums.ts'

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
export function hasPayoutLimit(limits: PayoutLimits): boolean {
  return Object.values(limits).some((limit) => limit !== undefined)
}
