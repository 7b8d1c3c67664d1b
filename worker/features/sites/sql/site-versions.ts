import { MAX_SITE_PERIODS } from '../../../../contract/limits.ts'
import type { StorageTarget } from '../../../../protocol/chains.ts'
import { inState } from '../../items/sql/item-state.ts'

/** A stored item as a version of a site; sizes in bytes, times in milliseconds. */
export interface SiteVersion {
  number: number
  itemId: string
  /** Of the item. */
  name: string
  blockchain: StorageTarget
  size: number
  note: string | null
  createdAt: number
  /** When it was current, the latest first, at most {@link PERIODS_TOLD}. */
  periods: Period[]
}

/** From when to when a version was current, and who made it so. */
interface Period {
  from: number
  /** null while it is current. */
  until: number | null
  by: string
}

/** Periods of one version that are returned. */
const PERIODS_TOLD = 20

const SELECT = `SELECT v.number, v.item_id AS itemId, i.name, i.blockchain, i.size, v.note, v.created_at AS createdAt,
  (SELECT json_group_array(json_object('from', from_at, 'until', until_at, 'by', made_by)) FROM (
    SELECT from_at, until_at, made_by FROM site_periods AS p WHERE p.site_id = v.site_id AND p.number = v.number
    ORDER BY p.switch DESC LIMIT ${PERIODS_TOLD})) AS periods
  FROM site_versions AS v JOIN items AS i ON i.id = v.item_id`

type Row = Omit<SiteVersion, 'periods'> & { periods: string }

function toVersion({ periods, ...row }: Row): SiteVersion {
  const entries: unknown = JSON.parse(periods)
  return { ...row, periods: Array.isArray(entries) ? entries.map(toPeriod) : [] }
}

function toPeriod(entry: unknown): Period {
  const { from, until, by }: Record<string, unknown> = { ...(entry instanceof Object ? entry : {}) }
  return { from: Number(from), until: until === null ? null : Number(until), by: String(by) }
}

/** A version of a user's site. */
export async function selectSiteVersion(
  db: D1Database,
  site: { id: string; userId: string },
  by: { item: string } | { number: number },
): Promise<SiteVersion | undefined> {
  const [column, value] = 'item' in by ? ['item_id', by.item] : ['number', by.number]
  const row = await db
    .prepare(
      `${SELECT} WHERE v.site_id = ? AND v.${column} = ? AND EXISTS (SELECT 1 FROM sites WHERE id = ? AND user_id = ?)`,
    )
    .bind(site.id, value, site.id, site.userId)
    .first<Row>()
  return row ? toVersion(row) : undefined
}

/** The versions of a site, newest first, those with a number below `before`. */
export async function selectSiteVersions(
  db: D1Database,
  siteId: string,
  before: number,
  limit: number,
): Promise<SiteVersion[]> {
  const { results } = await db
    .prepare(`${SELECT} WHERE v.site_id = ? AND v.number < ? ORDER BY v.number DESC LIMIT ?`)
    .bind(siteId, before, limit)
    .all<Row>()
  return results.map(toVersion)
}

/**
 * Make a stored item of the site's owner its newest version; nothing happens where it is a version already, or is not
 * stored.
 */
export function insertSiteVersionStatements(
  db: D1Database,
  { id, userId }: { id: string; userId: string },
  version: { itemId: string; note: string | null; createdAt: number },
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT INTO site_versions (site_id, number, item_id, note, created_at)
         SELECT id, versions + 1, ?3, ?4, ?5 FROM sites
         WHERE id = ?1 AND user_id = ?2
           AND EXISTS (SELECT 1 FROM items WHERE items.id = ?3 AND items.user_id = ?2 AND ${inState('stored')})
         ON CONFLICT (site_id, item_id) DO NOTHING`,
      )
      .bind(id, userId, version.itemId, version.note, version.createdAt),
    db
      .prepare(
        `UPDATE sites SET versions = versions + 1
         WHERE id = ? AND EXISTS (SELECT 1 FROM site_versions WHERE site_id = sites.id AND number = versions + 1)`,
      )
      .bind(id),
  ]
}

/**
 * Make a version the current one of a user's site, and end the period of the one before; nothing happens where it is
 * current, or where there is no such version.
 */
export function updateCurrentStatements(
  db: D1Database,
  { id, userId }: { id: string; userId: string },
  { number, by, at }: { number: number; by: string; at: number },
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE sites SET current = ?3, switches = switches + 1
         WHERE id = ?1 AND user_id = ?2 AND current IS NOT ?3
           AND EXISTS (SELECT 1 FROM site_versions WHERE site_id = ?1 AND number = ?3)`,
      )
      .bind(id, userId, number),
    db
      .prepare(
        `UPDATE site_periods SET until_at = ?2 WHERE site_id = ?1 AND until_at IS NULL
           AND switch < (SELECT switches FROM sites WHERE id = ?1)`,
      )
      .bind(id, at),
    db
      .prepare(
        `INSERT INTO site_periods (site_id, switch, number, from_at, user_id, made_by)
         SELECT id, switches, current, ?2, user_id, ?3 FROM sites
         WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM site_periods WHERE site_id = ?1 AND switch = sites.switches)
           AND current IS NOT NULL`,
      )
      .bind(id, at, by),
    db
      .prepare(
        `DELETE FROM site_periods WHERE site_id = ?1
           AND switch <= (SELECT switches FROM sites WHERE id = ?1) - ${MAX_SITE_PERIODS}`,
      )
      .bind(id),
  ]
}
