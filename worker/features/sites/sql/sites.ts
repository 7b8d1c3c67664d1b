import { releaseSiteStatements } from './domains.ts'
import { ADDRESS_OF_SITE, endAddressStatement } from './site-addresses.ts'
import { SITES_USED } from './used.ts'

/** A name that shows one item at a time; times in milliseconds. */
export interface Site {
  id: string
  userId: string
  name: string
  /** The number of the latest version; 0 before the first. */
  versions: number
  /** The number of the version that is shown, and its item; null before the first. */
  current: number | null
  itemId: string | null
  /** The number of the latest version that becomes current once it is stored. */
  waiting: number | null
  /** Its readable address, where it has one: the label below the storage host. */
  address: string | null
  createdAt: number
}

const SELECT = `SELECT sites.id, user_id AS userId, name, versions, current, item_id AS itemId,
  (SELECT MAX(w.number) FROM site_versions AS w WHERE w.site_id = sites.id AND w.when_stored IS NOT NULL) AS waiting,
  ${ADDRESS_OF_SITE('sites.id')} AS address,
  sites.created_at AS createdAt
  FROM sites LEFT JOIN site_versions ON site_id = sites.id AND number = current`

/** Writes a new site without versions, unless its user would then have more than `maxSites`. */
export function insertSiteStatement(
  db: D1Database,
  site: Pick<Site, 'id' | 'userId' | 'name' | 'createdAt'>,
  maxSites: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO sites (id, user_id, name, created_at) SELECT ?1, ?2, ?3, ?4 WHERE ${SITES_USED.sites('?2')} < ?5`,
    )
    .bind(site.id, site.userId, site.name, site.createdAt, maxSites)
}

/** A site of this user. */
export async function selectSite(db: D1Database, userId: string, id: string): Promise<Site | undefined> {
  const site = await db.prepare(`${SELECT} WHERE sites.id = ? AND user_id = ?`).bind(id, userId).first<Site>()
  return site ?? undefined
}

/** Which sites are listed. */
interface SiteList {
  name?: string | undefined
  after: { createdAt: number; id: string } | undefined
  limit: number
}

/** The sites of a user, all or those of exactly this name, newest first, behind what `after` says. */
export async function selectSites(db: D1Database, userId: string, { name, after, limit }: SiteList): Promise<Site[]> {
  const { results } = await db
    .prepare(
      `${SELECT} WHERE user_id = ?1 AND (?2 IS NULL OR (sites.created_at, sites.id) < (?2, ?3))
         AND (?5 IS NULL OR name = ?5)
       ORDER BY sites.created_at DESC, sites.id DESC LIMIT ?4`,
    )
    .bind(userId, after?.createdAt ?? null, after?.id ?? null, limit, name ?? null)
    .all<Site>()
  return results
}

/** Renames a site of this user. */
export async function updateSiteName(db: D1Database, userId: string, id: string, name: string): Promise<void> {
  await db.prepare('UPDATE sites SET name = ? WHERE id = ? AND user_id = ?').bind(name, id, userId).run()
}

/** The current version of a site; `undefined` before the first. */
export type ShownVersion = { number: number; itemId: string } | undefined

/** What a site of any user shows; `undefined` where there is no such site. */
export async function selectShown(db: D1Database, id: string): Promise<{ shown: ShownVersion } | undefined> {
  const row = await db
    .prepare(
      `SELECT number, item_id AS itemId FROM sites LEFT JOIN site_versions ON site_id = sites.id AND number = current
       WHERE sites.id = ?`,
    )
    .bind(id)
    .first<{ number: number | null; itemId: string | null }>()
  if (!row) return undefined
  const { number, itemId } = row
  return { shown: number === null || itemId === null ? undefined : { number, itemId } }
}

/**
 * Removes a site of this user with its versions; the items stay, its domains are released, its address ends. `now` in
 * milliseconds.
 * @returns whether there was one.
 */
export async function deleteSite(db: D1Database, userId: string, id: string, now: number): Promise<boolean> {
  const own = 'site_id IN (SELECT id FROM sites WHERE id = ?1 AND user_id = ?2)'
  const outcomes = await db.batch([
    ...releaseSiteStatements(db, id, userId),
    endAddressStatement(db, id, userId, now),
    ...[
      `DELETE FROM site_periods WHERE ${own}`,
      `DELETE FROM site_versions WHERE ${own}`,
      'DELETE FROM sites WHERE id = ?1 AND user_id = ?2',
    ].map((sql) => db.prepare(sql).bind(id, userId)),
  ])
  return outcomes.at(-1)?.meta.changes === 1
}

/** Whether this object id is that of a site, of any owner. */
export async function isSite(db: D1Database, id: string): Promise<boolean> {
  return (await db.prepare('SELECT 1 FROM sites WHERE id = ?').bind(id).first()) !== null
}
