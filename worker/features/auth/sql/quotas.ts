import type { QuotaName } from '../../../../contract/quotas.ts'
import { firstRow } from '../../../platform/d1/first-row.ts'

/**
 * The SQL of what a user has used of quotas, each from the feature that owns its table; `user` is an SQL expression. What was
 * deleted counts until its objects are gone from the bucket.
 */
export type UsedSql<Name extends QuotaName> = Readonly<Record<Name, (user: string) => string>>

/** What a user has used of API keys. */
export const KEYS_USED: UsedSql<'keys'> = {
  keys: (user) => `(SELECT COUNT(*) FROM api_keys AS held WHERE held.user_id = ${user})`,
}

/** What a user has used of these quotas. */
export async function selectUsed<Name extends QuotaName>(
  db: D1Database,
  userId: string,
  usedSql: UsedSql<Name>,
  quotas: readonly NoInfer<Name>[],
): Promise<Record<Name, number>> {
  const columns = quotas.map((quota) => `${usedSql[quota]('?1')} AS ${quota}`)
  return await firstRow<Record<Name, number>>(db.prepare(`SELECT ${columns.join(', ')}`).bind(userId))
}
