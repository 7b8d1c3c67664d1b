import { formatAmount } from '../../../protocol/amount.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { AppError } from '../../platform/http/errors.ts'
import { type ApiKey, dayOf, selectSpent, spendStatements } from '../auth/sql/api-keys.ts'
import { keyEnded } from '../auth/unauthorized.ts'

/**
 * The statements that count a payment from the balance against the limit of the API key that ordered it. They are for
 * the batch of that payment, which fails if the key was revoked or has spent more in between. `amount` in base units,
 * `now` in milliseconds.
 * @throws {AppError} 403 above the limit, 401 if the key ended.
 */
export async function spendByKey(
  db: D1Database,
  key: Pick<ApiKey, 'id' | 'spending'> | undefined,
  { blockchain, amount }: { blockchain: Blockchain; amount: bigint },
  now: number,
): Promise<D1PreparedStatement[]> {
  if (!key) return []
  const at = { keyId: key.id, blockchain, day: dayOf(now) }
  const spent = await selectSpent(db, at, now)
  if (spent === undefined) throw keyEnded()
  const limit = key.spending?.[blockchain] ?? 0n
  if (spent + amount > limit) {
    const coins = (units: bigint) => `${formatAmount(units)} ${blockchain}`
    throw new AppError(
      403,
      'spending_limit',
      `This costs ${coins(amount)}. The API key may spend ${coins(limit)} a day and has spent ${coins(spent)} since 00:00 UTC.`,
    )
  }
  return spendStatements(db, at, { spent, amount })
}
