import type { DomainTarget } from './domains.ts'
import { SITES_USED } from './used.ts'

/** A host whose record is not there yet; it is nobody's. Times in milliseconds. */
export interface WaitingDomain extends DomainTarget {
  host: string
  userId: string
  /** Until when DNS is looked up each minute. */
  waitUntil: number
  /** JSON of the last check. */
  steps: string | null
}

const COLUMNS = 'host, user_id AS userId, item_id AS id, kind, wait_until AS waitUntil, steps'

/**
 * Begins to wait for a host, or waits again, maybe for something else. @returns whether it is waited for: not where the
 * user would then have more than `maxDomains`.
 */
export async function upsertWaitingDomain(
  db: D1Database,
  { host, userId, id, kind, waitUntil, steps }: WaitingDomain,
  now: number,
  maxDomains: number,
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `INSERT INTO waiting_domains (host, user_id, item_id, kind, created_at, wait_until, looked_at, steps)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?5, ?7
       WHERE ${SITES_USED.domains('?2')} < ?8
         OR EXISTS (SELECT 1 FROM waiting_domains AS own WHERE own.host = ?1 AND own.user_id = ?2)
         OR EXISTS (SELECT 1 FROM domains AS own WHERE own.host = ?1 AND own.user_id = ?2 AND own.status <> 'removing')
       ON CONFLICT (user_id, host) DO UPDATE SET item_id = ?3, kind = ?4, wait_until = ?6, looked_at = ?5, steps = ?7`,
    )
    .bind(host, userId, id, kind, now, waitUntil, steps, maxDomains)
    .run()
  return meta.changes === 1
}

/** What this user waits for at a host. */
export async function selectWaitingDomain(
  db: D1Database,
  host: string,
  userId: string,
): Promise<WaitingDomain | undefined> {
  const row = await db
    .prepare(`SELECT ${COLUMNS} FROM waiting_domains WHERE host = ? AND user_id = ?`)
    .bind(host, userId)
    .first<WaitingDomain>()
  return row ?? undefined
}

/** Of each of these accounts the `each` hosts that were checked longest ago; they count as checked now. */
export async function leaseWaitingDomains(
  db: D1Database,
  accounts: readonly string[],
  each: number,
  now: number,
): Promise<WaitingDomain[]> {
  const { results } = await db
    .prepare(
      `UPDATE waiting_domains SET looked_at = ?1 WHERE (user_id, host) IN (
         SELECT user_id, host FROM (
           SELECT user_id, host, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY looked_at, host) AS turn
           FROM waiting_domains WHERE user_id IN (SELECT value FROM json_each(?2)) AND wait_until > ?1)
         WHERE turn <= ?3)
       RETURNING ${COLUMNS}`,
    )
    .bind(now, JSON.stringify(accounts), each)
    .all<WaitingDomain>()
  return results
}

/** Stores the steps of a check. */
export async function updateWaitingSteps(
  db: D1Database,
  { host, userId }: Pick<WaitingDomain, 'host' | 'userId'>,
  steps: string,
): Promise<void> {
  await db
    .prepare('UPDATE waiting_domains SET steps = ? WHERE host = ? AND user_id = ?')
    .bind(steps, host, userId)
    .run()
}

/** Ends the wait of a user for a host. @returns whether there was one. */
export async function deleteWaitingDomain(db: D1Database, host: string, userId: string): Promise<boolean> {
  const { meta } = await db
    .prepare('DELETE FROM waiting_domains WHERE host = ? AND user_id = ?')
    .bind(host, userId)
    .run()
  return meta.changes === 1
}

/** Deletes pending claims that ended before `before`, at most `limit` of them. */
export async function deleteOldWaits(db: D1Database, before: number, limit: number): Promise<void> {
  await db
    .prepare(
      `DELETE FROM waiting_domains WHERE (user_id, host) IN (
         SELECT user_id, host FROM waiting_domains WHERE wait_until < ? ORDER BY wait_until LIMIT ?)`,
    )
    .bind(before, limit)
    .run()
}
