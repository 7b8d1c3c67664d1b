import { isClosed } from '../../auth/sql/users.ts'
import { SITES_USED } from './used.ts'

/** What a domain shows. */
export interface DomainTarget {
  kind: 'item' | 'site'
  id: string
}

/** A host that a user claimed; times in milliseconds. */
export interface Domain extends DomainTarget {
  host: string
  userId: string
  /** Id of the custom hostname at Cloudflare, where one is registered. */
  customHostnameId: string | null
  /** `active`, or what Cloudflare says of the custom hostname. */
  status: string
  /** The DNS record that proved the claim. */
  record: string
  /** JSON of the last check. */
  steps: string | null
}

/** Which rows of `domains` their owner still has: those to be removed are released already. */
const LIVE = "status <> 'removing'"
/** Releases claims: their owner no longer has them, and they are removed at Cloudflare next. */
const GIVE_UP = "UPDATE domains SET status = 'removing', asked_at = 0"
const COLUMNS =
  'host, kind, item_id AS id, user_id AS userId, custom_hostname_id AS customHostnameId, status, record, steps'

/**
 * Claims a host for a user, or points the user's own claim at something else; a pending claim of it ends. The claim of
 * another user wins, unless DNS has not named what it shows since `lapsed`. A user has at most `maxDomains`; those beyond a
 * limit that was lowered stay.
 * @returns whether the host is now the user's.
 */
export async function claimDomain(
  db: D1Database,
  domain: Pick<Domain, 'host' | 'kind' | 'id' | 'userId' | 'status' | 'record' | 'steps'>,
  now: number,
  lapsed: number,
  maxDomains: number,
): Promise<boolean> {
  const { host, id, userId, status, record, kind, steps } = domain
  const [claimed] = await db.batch([
    db
      .prepare(
        `INSERT INTO domains (host, item_id, user_id, status, record, created_at, claimed_at, seen_at, looked_at, kind, steps)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?6, ?9, ?10
         WHERE ${SITES_USED.domains('?3')} < ?8
           OR EXISTS (SELECT 1 FROM domains AS own WHERE own.host = ?1 AND own.user_id = ?3 AND own.${LIVE})
           OR EXISTS (SELECT 1 FROM waiting_domains AS own WHERE own.host = ?1 AND own.user_id = ?3)
         ON CONFLICT (host) DO UPDATE SET
           item_id = ?2, user_id = ?3, record = ?5, claimed_at = ?6, seen_at = ?6, looked_at = ?6, kind = ?9, steps = ?10,
           status = CASE WHEN custom_hostname_id IS NULL OR status = 'removing' THEN ?4 ELSE status END
         WHERE user_id = ?3 OR status = 'removing' OR (claimed_at < ?7 AND seen_at < ?7 AND NOT EXISTS (
           SELECT 1 FROM domain_answers AS answer
           WHERE answer.host = ?1 AND answer.item_id = domains.item_id AND answer.seen_at >= ?7))`,
      )
      .bind(host, id, userId, status, record, now, lapsed, maxDomains, kind, steps),
    db
      .prepare(
        `DELETE FROM waiting_domains WHERE host = ?1 AND user_id = ?2
           AND EXISTS (SELECT 1 FROM domains WHERE host = ?1 AND user_id = ?2 AND item_id = ?3 AND ${LIVE})`,
      )
      .bind(host, userId, id),
  ])
  return claimed?.meta.changes === 1
}

/** Whether another user holds a host whose record was seen since `lapsed`: a claim of this one would lose. */
export async function isHeldByAnother(
  db: D1Database,
  { host, userId }: Pick<Domain, 'host' | 'userId'>,
  lapsed: number,
): Promise<boolean> {
  const held = await db
    .prepare(
      `SELECT 1 FROM domains WHERE host = ?1 AND user_id <> ?2 AND ${LIVE} AND (claimed_at >= ?3 OR seen_at >= ?3 OR EXISTS (
         SELECT 1 FROM domain_answers AS answer
         WHERE answer.host = ?1 AND answer.item_id = domains.item_id AND answer.seen_at >= ?3))`,
    )
    .bind(host, userId, lapsed)
    .first()
  return held !== null
}

/** Records what Cloudflare answered for a claim. @returns whether the claim still exists. */
export async function updateDomainStatus(
  db: D1Database,
  { host, userId }: Pick<Domain, 'host' | 'userId'>,
  customHostnameId: string,
  status: string,
): Promise<boolean> {
  const { meta } = await db
    .prepare(`UPDATE domains SET custom_hostname_id = ?, status = ? WHERE host = ? AND user_id = ? AND ${LIVE}`)
    .bind(customHostnameId, status, host, userId)
    .run()
  return meta.changes === 1
}

/** Stores the steps of a check. */
export async function updateDomainSteps(
  db: D1Database,
  { host, userId }: Pick<Domain, 'host' | 'userId'>,
  steps: string,
): Promise<void> {
  await db.prepare('UPDATE domains SET steps = ? WHERE host = ? AND user_id = ?').bind(steps, host, userId).run()
}

/** The claim of a host by any user; none where it was released. */
export async function selectDomain(db: D1Database, host: string): Promise<Domain | undefined> {
  const row = await db.prepare(`SELECT ${COLUMNS} FROM domains WHERE host = ? AND ${LIVE}`).bind(host).first<Domain>()
  return row ?? undefined
}

/** Which of these hosts have a row, be it one that is being removed. */
export async function selectClaimedHosts(db: D1Database, hosts: readonly string[]): Promise<Set<string>> {
  const { results } = await db
    .prepare('SELECT host FROM domains WHERE host IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(hosts))
    .all<{ host: string }>()
  return new Set(results.map(({ host }) => host))
}

/** Claims whose DNS was last checked before `before`, the oldest first; they count as checked now. */
export async function leaseDomainsToProbe(
  db: D1Database,
  now: number,
  before: number,
  limit: number,
): Promise<Domain[]> {
  const { results } = await db
    .prepare(
      `UPDATE domains SET looked_at = ?1 WHERE host IN (
         SELECT host FROM domains WHERE looked_at < ?2 AND ${LIVE} ORDER BY looked_at LIMIT ?3)
       RETURNING ${COLUMNS}`,
    )
    .bind(now, before, limit)
    .all<Domain>()
  return results
}

/** Records that DNS names what a claim shows. */
export async function updateDomainSeen(db: D1Database, domain: Domain, now: number): Promise<void> {
  await db
    .prepare('UPDATE domains SET seen_at = ? WHERE host = ? AND user_id = ? AND item_id = ?')
    .bind(now, domain.host, domain.userId, domain.id)
    .run()
}

/** Abandons a claim whose record was not seen since `lapsed`, by us or for a visitor. @returns whether it was. */
export async function expireClaim(db: D1Database, { host, userId, id }: Domain, lapsed: number): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `${GIVE_UP}
       WHERE host = ?1 AND user_id = ?2 AND item_id = ?3 AND claimed_at < ?4 AND seen_at < ?4 AND NOT EXISTS (
         SELECT 1 FROM domain_answers AS answer
         WHERE answer.host = ?1 AND answer.item_id = ?3 AND answer.seen_at >= ?4)`,
    )
    .bind(host, userId, id, lapsed)
    .run()
  return meta.changes === 1
}

/** Release all domains of a site, and its pending claims. */
export function releaseSiteStatements(db: D1Database, site: string, userId: string): D1PreparedStatement[] {
  return [
    db.prepare(`${GIVE_UP} WHERE item_id = ? AND user_id = ?`).bind(site, userId),
    db.prepare('DELETE FROM waiting_domains WHERE item_id = ? AND user_id = ?').bind(site, userId),
  ]
}

/** Release all domains of an account that was closed, and its pending claims; nothing while it is open. */
export function releaseClosedStatements(db: D1Database, userId: string): D1PreparedStatement[] {
  const closed = isClosed('?1')
  return [
    db.prepare(`${GIVE_UP} WHERE user_id = ?1 AND ${LIVE} AND ${closed}`).bind(userId),
    db.prepare(`DELETE FROM waiting_domains WHERE user_id = ?1 AND ${closed}`).bind(userId),
  ]
}

/** Of each of these accounts the `each` claims whose status was read longest ago; they count as read now. */
export async function leasePendingDomains(
  db: D1Database,
  accounts: readonly string[],
  each: number,
  now: number,
): Promise<Domain[]> {
  const { results } = await db
    .prepare(
      `UPDATE domains SET asked_at = ?1 WHERE host IN (
         SELECT host FROM (
           SELECT host, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY asked_at, host) AS turn FROM domains
           WHERE user_id IN (SELECT value FROM json_each(?2)) AND status NOT IN ('active', 'removing'))
         WHERE turn <= ?3)
       RETURNING ${COLUMNS}`,
    )
    .bind(now, JSON.stringify(accounts), each)
    .all<Domain>()
  return results
}

/** Released claims, those tried longest ago first; they count as tried now. */
export async function leaseDomainsToRemove(db: D1Database, now: number, limit: number): Promise<Domain[]> {
  const { results } = await db
    .prepare(
      `UPDATE domains SET asked_at = ?1 WHERE host IN (
         SELECT host FROM domains WHERE status = 'removing' ORDER BY asked_at LIMIT ?2)
       RETURNING ${COLUMNS}`,
    )
    .bind(now, limit)
    .all<Domain>()
  return results
}

/**
 * Forgets a claim whose custom hostname was removed. Where the host was claimed again meanwhile, that claim has to be
 * registered again.
 */
export async function deleteRemovedDomain(
  db: D1Database,
  host: string,
  customHostnameId: string | null,
): Promise<void> {
  await db.batch([
    db.prepare("DELETE FROM domains WHERE host = ? AND status = 'removing'").bind(host),
    db
      .prepare(
        "UPDATE domains SET custom_hostname_id = NULL, status = 'pending' WHERE host = ? AND custom_hostname_id = ?",
      )
      .bind(host, customHostnameId ?? ''),
  ])
}

export async function deleteDomain(db: D1Database, host: string, userId: string): Promise<void> {
  await db.prepare('DELETE FROM domains WHERE host = ? AND user_id = ?').bind(host, userId).run()
}

/** The id DNS last named for a host. */
export async function selectDomainAnswer(db: D1Database, host: string): Promise<string | undefined> {
  const row = await db
    .prepare('SELECT item_id FROM domain_answers WHERE host = ?')
    .bind(host)
    .first<{ item_id: string }>()
  return row?.item_id
}

/** Whether somebody has claimed a host. */
export async function isClaimed(db: D1Database, host: string): Promise<boolean> {
  return (await db.prepare('SELECT 1 FROM domains WHERE host = ?').bind(host).first()) !== null
}

/** Hosts without a claim that are remembered in a day at most. */
const ANSWERS_A_DAY = 10_000

/**
 * Remembers what DNS named; written again only when it differs or is older than `before` (ms). Of hosts that nobody has
 * claimed no more are added than are remembered in the day since `before`.
 */
export async function upsertDomainAnswer(
  db: D1Database,
  host: string,
  itemId: string,
  now: number,
  before: number,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO domain_answers (host, item_id, seen_at) SELECT ?1, ?2, ?3
       WHERE EXISTS (SELECT 1 FROM domain_answers WHERE host = ?1) OR EXISTS (SELECT 1 FROM domains WHERE host = ?1)
         OR (SELECT COUNT(*) FROM (SELECT 1 FROM domain_answers WHERE seen_at >= ?4 LIMIT ?5)) < ?5
       ON CONFLICT (host) DO UPDATE SET item_id = ?2, seen_at = ?3 WHERE item_id <> ?2 OR seen_at < ?4`,
    )
    .bind(host, itemId, now, before, ANSWERS_A_DAY)
    .run()
}

/** Answers deleted in one run. */
const SWEPT = 500

/** Forgets what DNS said of hosts that nobody has visited since `time` (ms), some at a time. */
export async function sweepDomainAnswers(db: D1Database, time: number): Promise<void> {
  await db
    .prepare(
      'DELETE FROM domain_answers WHERE host IN (SELECT host FROM domain_answers WHERE seen_at < ? ORDER BY seen_at LIMIT ?)',
    )
    .bind(time, SWEPT)
    .run()
}

/** DNS names nothing for this host any more. */
export async function deleteDomainAnswer(db: D1Database, host: string): Promise<void> {
  if ((await selectDomainAnswer(db, host)) === undefined) return
  await db.prepare('DELETE FROM domain_answers WHERE host = ?').bind(host).run()
}
