import { QUOTA_NAMES, QUOTAS, type QuotaName } from '../../../contract/quotas.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'
import { selectUsed, type UsedSql } from './sql/quotas.ts'

/** Every quota of an account: its limit, and what is used of it. Stored items have none. */
export async function readQuotas(
  db: D1Database,
  userId: string,
  limits: Config['quotas'],
  usedSql: UsedSql<QuotaName>,
): Promise<Record<string, { limit: number; used: number }>> {
  const used = await selectUsed(db, userId, usedSql, QUOTA_NAMES)
  return Object.fromEntries(QUOTA_NAMES.map((quota) => [quota, { limit: limits[quota], used: used[quota] }]))
}

/**
 * The refusal of what would pass one of these quotas by `adding`; `undefined` where none would be passed. `most`: what the
 * limits may become by paying. What is above a limit that was lowered stays.
 */
export async function quotaRefusal<Name extends QuotaName>(
  db: D1Database,
  userId: string,
  usedSql: UsedSql<Name>,
  limits: Config['quotas'],
  adding: Partial<Record<NoInfer<Name>, number>>,
  most: Config['quotas'] = limits,
): Promise<AppError | undefined> {
  const asked = QUOTA_NAMES.filter((quota): quota is Name => quota in usedSql && quota in adding)
  const used = await selectUsed(db, userId, usedSql, asked)
  const passed = asked.find((quota) => used[quota] + (adding[quota] ?? 0) > limits[quota])
  if (!passed) return undefined
  return quotaExceeded(passed, limits[passed], { used: used[passed], adding: adding[passed] ?? 0, most: most[passed] })
}

/** 409 that says which quota, its limit, what is used of it, and what can be done. */
function quotaExceeded(
  quota: QuotaName,
  limit: number,
  { used, adding, most }: Record<'used' | 'adding' | 'most', number>,
): AppError {
  const remedies = [
    ...(limit < most ? [`pay into your balance first, which raises it to at most ${most}`] : []),
    ...(used > 0 ? ['pay for, end or delete some first'] : []),
    ...(adding > 1 ? ['send less at once'] : []),
  ]
  const passed = `An account may have ${limit} ${QUOTAS[quota]}; you have ${used}, and this adds ${adding}.`
  const message = remedies.length === 0 ? passed : `${passed} You can ${remedies.join(', or ')}.`
  return new AppError(409, 'quota_exceeded', message, { details: { quota, limit, used } })
}
