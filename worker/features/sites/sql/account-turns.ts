/** What accounts queue for: a DNS lookup, or a status at Cloudflare. */
export type DomainQueue = 'waiting' | 'pending'

const ACCOUNTS: Record<DomainQueue, string> = {
  waiting: 'FROM waiting_domains WHERE',
  pending: "FROM domains WHERE status NOT IN ('active', 'removing') AND",
}

/**
 * The accounts whose turn it is, each of which has something in the queue: `limit` of them, behind the one that was last,
 * and from the first again. Reads one row for each. Without turns an account with 500 hosts delays the first lookup of others by
 * five minutes instead of one (D16, tests/worker/features/sites).
 */
export async function selectAccountsInTurn(
  db: D1Database,
  queue: DomainQueue,
  last: string,
  limit: number,
): Promise<string[]> {
  const next = (after: string) => `(SELECT user_id ${ACCOUNTS[queue]} user_id > ${after} ORDER BY user_id LIMIT 1)`
  const { results } = await db
    .prepare(
      `WITH RECURSIVE behind (user_id) AS (
         SELECT ${next('?1')} UNION ALL SELECT ${next('behind.user_id')} FROM behind WHERE behind.user_id IS NOT NULL LIMIT ?2),
       again (user_id) AS (
         SELECT ${next("''")} UNION ALL SELECT ${next('again.user_id')} FROM again WHERE again.user_id < ?1 LIMIT ?2)
       SELECT user_id AS id FROM (SELECT user_id FROM behind UNION ALL SELECT user_id FROM again WHERE user_id <= ?1)
       WHERE user_id IS NOT NULL ORDER BY user_id <= ?1, user_id LIMIT ?2`,
    )
    .bind(last, limit)
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}
