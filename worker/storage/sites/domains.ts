import { usedSql } from '../accounts/quotas.ts'

/** A host that a user claimed; times in milliseconds. */
export interface Domain {
  host: string
  itemId: string
  userId: string
  /** Id of the custom hostname at Cloudflare, where one is registered. */
  customHostnameId: string | undefined
  /** `active`, or what Cloudflare says of the custom hostname. */
  status: string
  /** The DNS record that proved the claim. */
  record: string
}

const COLUMNS = 'host, item_id AS itemId, user_id AS userId, custom_hostname_id AS customHostnameId, status, record'
type Row = Omit<Domain, 'customHostnameId'> & { customHostnameId: string | null }

function toDomain(row: Row): Domain {
  return { ...row, customHostnameId: row.customHostnameId ?? undefined }
}

/**
 * Claims a host for a user, or points the user's own claim at another item. Whoever is second loses, unless DNS has
 * not named the first one's item since `lapsed`. A user has at most `maxDomains`; who has more keeps them.
 * @returns whether the host is now the user's.
 */
export async function claimDomain(
  db: D1Database,
  domain: Pick<Domain, 'host' | 'itemId' | 'userId' | 'status' | 'record'>,
  now: number,
  lapsed: number,
  maxDomains: number,
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `INSERT INTO domains (host, item_id, user_id, status, record, created_at, claimed_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6
       WHERE ${usedSql('domains', '?3')} < ?8 OR EXISTS (SELECT 1 FROM domains AS own WHERE own.host = ?1 AND own.user_id = ?3)
       ON CONFLICT (host) DO UPDATE SET
         item_id = ?2, user_id = ?3, record = ?5, claimed_at = ?6,
         status = CASE WHEN custom_hostname_id IS NULL THEN ?4 ELSE status END
       WHERE user_id = ?3 OR (claimed_at < ?7 AND NOT EXISTS (
         SELECT 1 FROM domain_answers AS answer
         WHERE answer.host = ?1 AND answer.item_id = domains.item_id AND answer.seen_at >= ?7))`,
    )
    .bind(domain.host, domain.itemId, domain.userId, domain.status, domain.record, now, lapsed, maxDomains)
    .run()
  return meta.changes === 1
}

/** Notes what Cloudflare answered for a claim. @returns whether the claim still stands. */
export async function updateDomainStatus(
  db: D1Database,
  { host, userId }: Pick<Domain, 'host' | 'userId'>,
  customHostnameId: string,
  status: string,
): Promise<boolean> {
  const { meta } = await db
    .prepare('UPDATE domains SET custom_hostname_id = ?, status = ? WHERE host = ? AND user_id = ?')
    .bind(customHostnameId, status, host, userId)
    .run()
  return meta.changes === 1
}

export async function selectDomain(db: D1Database, host: string): Promise<Domain | undefined> {
  const row = await db.prepare(`SELECT ${COLUMNS} FROM domains WHERE host = ?`).bind(host).first<Row>()
  return row ? toDomain(row) : undefined
}

/** The claims of a user, by host, after `cursor`. */
export async function selectDomainsOf(
  db: D1Database,
  userId: string,
  cursor: string,
  limit: number,
): Promise<Domain[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM domains WHERE user_id = ? AND host > ? ORDER BY host LIMIT ?`)
    .bind(userId, cursor, limit)
    .all<Row>()
  return results.map(toDomain)
}

/** Claims that are not active yet, those asked about longest ago first; they count as asked about now. */
export async function takePendingDomains(db: D1Database, now: number, limit: number): Promise<Domain[]> {
  const { results } = await db
    .prepare(
      `UPDATE domains SET asked_at = ?1 WHERE host IN (
         SELECT host FROM domains WHERE status <> 'active' ORDER BY asked_at LIMIT ?2)
       RETURNING ${COLUMNS}`,
    )
    .bind(now, limit)
    .all<Row>()
  return results.map(toDomain)
}

export async function deleteDomain(db: D1Database, host: string, userId: string): Promise<void> {
  await db.prepare('DELETE FROM domains WHERE host = ? AND user_id = ?').bind(host, userId).run()
}

/** Whether the item is this user's. */
export async function ownsItem(db: D1Database, itemId: string, userId: string): Promise<boolean> {
  const row = await db.prepare('SELECT 1 FROM items WHERE id = ? AND user_id = ?').bind(itemId, userId).first()
  return row !== null
}

/** The item DNS last named for a host. */
export async function selectDomainAnswer(db: D1Database, host: string): Promise<string | undefined> {
  const row = await db
    .prepare('SELECT item_id FROM domain_answers WHERE host = ?')
    .bind(host)
    .first<{ item_id: string }>()
  return row?.item_id
}

/** Remembers what DNS named; written again only when it differs or is older than `before` (ms). */
export async function upsertDomainAnswer(
  db: D1Database,
  host: string,
  itemId: string,
  now: number,
  before: number,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO domain_answers (host, item_id, seen_at) VALUES (?1, ?2, ?3)
       ON CONFLICT (host) DO UPDATE SET item_id = ?2, seen_at = ?3 WHERE item_id <> ?2 OR seen_at < ?4`,
    )
    .bind(host, itemId, now, before)
    .run()
}

/** DNS names no item for this host any more. */
export async function deleteDomainAnswer(db: D1Database, host: string): Promise<void> {
  if ((await selectDomainAnswer(db, host)) === undefined) return
  await db.prepare('DELETE FROM domain_answers WHERE host = ?').bind(host).run()
}
