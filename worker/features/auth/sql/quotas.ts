import type { QuotaName } from '../../../../contract/quotas.ts'
import { firstRow } from '../../../platform/d1/first-row.ts'

/**
 * The SQL of what a user has used of a quota; `user` is an SQL expression. What was deleted counts until its objects are
 * gone from the bucket; the bytes of a directory are those of its files.
 */
export function usedSql(quota: QuotaName, user: string): string {
  switch (quota) {
    case 'unpaidItems':
      return `IFNULL((SELECT held.items + held.removed_items FROM holdings AS held WHERE held.user_id = ${user}), 0)`
    case 'unpaidBytes':
      return `IFNULL((SELECT held.bytes + held.removed_bytes FROM holdings AS held WHERE held.user_id = ${user}), 0)`
    case 'merges':
      return `(SELECT COUNT(*) FROM items AS held WHERE held.user_id = ${user} AND held.status = 201 AND held.merging_at IS NOT NULL)`
    case 'folders':
      return `(SELECT COUNT(*) FROM folders AS held WHERE held.user_id = ${user} AND held.items = 0)`
    case 'domains':
      return `((SELECT COUNT(*) FROM domains AS held WHERE held.user_id = ${user} AND held.status <> 'removing')
        + (SELECT COUNT(*) FROM waiting_domains AS waits WHERE waits.user_id = ${user} AND NOT EXISTS (
          SELECT 1 FROM domains AS held
          WHERE held.host = waits.host AND held.user_id = waits.user_id AND held.status <> 'removing')))`
    case 'keys':
      return `(SELECT COUNT(*) FROM api_keys AS held WHERE held.user_id = ${user})`
    case 'sites':
      return `(SELECT COUNT(*) FROM sites AS held WHERE held.user_id = ${user})`
    case 'unusedAddresses':
      return `(SELECT COUNT(*) FROM addresses AS held
        WHERE held.user_id = ${user} AND held.kind = 'deposit' AND held.replaces IS NULL AND NOT EXISTS (
          SELECT 1 FROM outputs WHERE outputs.blockchain = held.blockchain AND outputs.address = held.address))`
  }
}

/** What a user has used of these quotas. */
export async function selectUsed<Name extends QuotaName>(
  db: D1Database,
  userId: string,
  quotas: readonly Name[],
): Promise<Record<Name, number>> {
  const columns = quotas.map((quota) => `${usedSql(quota, '?1')} AS ${quota}`)
  return await firstRow<Record<Name, number>>(db.prepare(`SELECT ${columns.join(', ')}`).bind(userId))
}
