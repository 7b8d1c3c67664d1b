import { MAX_SITE_PERIODS } from '../../../../contract/limits.ts'
import type { StorageTarget } from '../../../../protocol/chains.ts'
import { type ItemState, inState, stateOfRow } from '../../items/sql/item-state.ts'

/** An item as a version of a site; sizes in bytes, times in milliseconds. */
export interface SiteVersion {
  number: number
  itemId: string
  /** Of the item. */
  name: string
  blockchain: StorageTarget
  size: number
  state: ItemState
  note: string | null
  createdAt: number
  /** Whether it becomes current once it is stored, or did not, since the site would answer 500 with it. */
  current: 'when_stored' | 'site_fails' | null
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

const SELECT = `SELECT v.number, v.item_id AS itemId, i.name, i.blockchain, i.size, i.status, i.merging_at AS mergingAt, v.note,
  v.created_at AS createdAt,
  CASE WHEN v.when_stored IS NOT NULL THEN 'when_stored' WHEN v.refused = 1 THEN 'site_fails' END AS current,
  (SELECT json_group_array(json_object('from', from_at, 'until', until_at, 'by', made_by)) FROM (
    SELECT from_at, until_at, made_by FROM site_periods AS p WHERE p.site_id = v.site_id AND p.number = v.number
    ORDER BY p.switch DESC LIMIT ${PERIODS_TOLD})) AS periods
  FROM site_versions AS v JOIN items AS i ON i.id = v.item_id`

type Row = Omit<SiteVersion, 'periods' | 'state'> & { status: number; mergingAt: number | null; periods: string }

function toVersion({ periods, status, mergingAt, ...row }: Row): SiteVersion {
  const entries: unknown = JSON.parse(periods)
  const state = stateOfRow(status, mergingAt)
  return { ...row, state, periods: Array.isArray(entries) ? entries.map(toPeriod) : [] }
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

/** A version that is added; `whenStored` is the name of who asks that it becomes current once it is stored, or null. */
export interface NewVersion {
  itemId: string
  note: string | null
  createdAt: number
  whenStored: string | null
}

/**
 * Make an item of the site's owner its newest version; nothing happens where it is not stored and not to become current
 * then, or is gone. One that is a version already remains that version.
 */
export function insertSiteVersionStatements(
  db: D1Database,
  { id, userId }: { id: string; userId: string },
  version: NewVersion,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT INTO site_versions (site_id, number, item_id, note, created_at, when_stored)
         SELECT id, versions + 1, ?3, ?4, ?5, ?6 FROM sites
         WHERE id = ?1 AND user_id = ?2
           AND EXISTS (SELECT 1 FROM items WHERE items.id = ?3 AND items.user_id = ?2 AND items.removed_at IS NULL
             AND (?6 IS NOT NULL OR ${inState('stored')}))
         ON CONFLICT (site_id, item_id) DO UPDATE SET when_stored = excluded.when_stored, refused = 0
           WHERE excluded.when_stored IS NOT NULL`,
      )
      .bind(id, userId, version.itemId, version.note, version.createdAt, version.whenStored),
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
 * current, or where there is no such version, or with `waiting` none that still waits for this. No version waits any
 * more then; with `waiting` those that were added after it still do.
 */
export function updateCurrentStatements(
  db: D1Database,
  { id, userId }: { id: string; userId: string },
  { number, by, at, waiting = false }: { number: number; by: string; at: number; waiting?: boolean },
): D1PreparedStatement[] {
  const still = waiting ? 'AND when_stored IS NOT NULL' : ''
  return [
    db
      .prepare(
        `UPDATE sites SET current = ?3, switches = switches + 1
         WHERE id = ?1 AND user_id = ?2 AND current IS NOT ?3
           AND EXISTS (SELECT 1 FROM site_versions WHERE site_id = ?1 AND number = ?3 ${still})`,
      )
      .bind(id, userId, number),
    db
      .prepare(
        `UPDATE site_versions SET when_stored = NULL, refused = 0
         WHERE site_id = ?1 AND number <= IIF(?3, ?2, number) AND (when_stored IS NOT NULL OR refused = 1)
           AND EXISTS (SELECT 1 FROM sites WHERE id = ?1 AND current = ?2)`,
      )
      .bind(id, number, waiting ? 1 : 0),
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
