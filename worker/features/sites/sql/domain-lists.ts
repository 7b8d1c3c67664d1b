import type { Domain } from './domains.ts'
import type { WaitingDomain } from './waiting-domains.ts'

/** A host of a user, claimed or waited for. */
export type ListedDomain = (Omit<Domain, 'customHostnameId'> & { waitUntil: null }) | WaitingDomain

/** The hosts of a user, or those that show one site, by name after `cursor`. A host that is claimed is listed once. */
export async function selectDomainsOf(
  db: D1Database,
  userId: string,
  { site, cursor, limit }: { site: string | undefined; cursor: string; limit: number },
): Promise<ListedDomain[]> {
  const ofSite = site === undefined ? '?3 IS NULL' : 'item_id = ?3'
  const unclaimed =
    site === undefined
      ? "AND NOT EXISTS (SELECT 1 FROM domains AS own WHERE own.host = waits.host AND own.user_id = ?1 AND own.status <> 'removing')"
      : ''
  const { results } = await db
    .prepare(
      `SELECT * FROM (
         SELECT host, user_id AS userId, item_id AS id, kind, status, record, steps, NULL AS waitUntil FROM domains
         WHERE user_id = ?1 AND host > ?2 AND ${ofSite} AND status <> 'removing' ORDER BY host LIMIT ?4)
       UNION ALL SELECT * FROM (
         SELECT host, user_id, item_id, kind, NULL, NULL, steps, wait_until FROM waiting_domains AS waits
         WHERE user_id = ?1 AND host > ?2 AND ${ofSite} ${unclaimed} ORDER BY host LIMIT ?4)
       ORDER BY host LIMIT ?4`,
    )
    .bind(userId, cursor, site ?? null, limit)
    .all<ListedDomain>()
  return results
}
