import { MAX_ADDRESSES } from '../../../../contract/limits.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { isClosed } from '../../auth/sql/users.ts'
import { inState } from '../../items/sql/item-state.ts'

/** A readable address that is or was that of a site; times in milliseconds. */
export interface SiteAddress {
  userId: string
  siteId: string
  /** When it ceased to be the address of the site; null while it is. */
  untilAt: number | null
  withdrawnAt: number | null
  /** The address that the site has now. */
  current: string | null
  /** Whether the site still exists. */
  stands: boolean
}

/** The SQL of the address of a site, by the SQL of its id; NULL where it has none. */
export const ADDRESS_OF_SITE = (site: string) =>
  `(SELECT a.label FROM site_addresses AS a WHERE a.site_id = ${site} AND a.until_at IS NULL)`

/** An address by its label, of any account. */
export async function selectAddress(db: D1Database, label: string): Promise<SiteAddress | undefined> {
  const row = await db
    .prepare(
      `SELECT user_id AS userId, site_id AS siteId, until_at AS untilAt, withdrawn_at AS withdrawnAt,
         ${ADDRESS_OF_SITE('held.site_id')} AS current, EXISTS (SELECT 1 FROM sites WHERE id = held.site_id) AS stands
       FROM site_addresses AS held WHERE label = ?`,
    )
    .bind(label)
    .first<Omit<SiteAddress, 'stands'> & { stands: number }>()
  return row ? { ...row, stands: row.stands === 1 } : undefined
}

/**
 * The lookup of the site that an address is or was last that of, for records of DNS: they stay right after a change.
 * `undefined` for a label that is none, or was withdrawn.
 */
export function siteOfAddress(db: D1Database): (label: string) => Promise<string | undefined> {
  return async (label) => {
    const held = await selectAddress(db, label)
    return held?.stands && held.withdrawnAt === null ? held.siteId : undefined
  }
}

/** The addresses of those of these sites that have one, by the sites' ids. */
export async function selectAddressesOf(db: D1Database, sites: readonly string[]): Promise<Map<string, string>> {
  if (sites.length === 0) return new Map()
  const { results } = await db
    .prepare(
      `SELECT site_id AS site, label FROM site_addresses
       WHERE site_id IN (SELECT value FROM json_each(?)) AND until_at IS NULL`,
    )
    .bind(JSON.stringify(sites))
    .all<{ site: string; label: string }>()
  return new Map(results.map(({ site, label }) => [site, label]))
}

/** SQL, with the id of a site as its parameter: whether somebody paid for a version of it. */
const PAID = `EXISTS (SELECT 1 FROM site_versions AS v JOIN items ON items.id = v.item_id
  WHERE v.site_id = ? AND ${inState(['writing', 'stored'])})`

/** Whether a version of a site is paid for. */
export async function hasPaidVersion(db: D1Database, site: string): Promise<boolean> {
  return (await db.prepare(`SELECT 1 WHERE ${PAID}`).bind(site).first()) !== null
}

/** How many addresses an account has, those that are kept for it after a change among them. */
export async function countAddresses(db: D1Database, userId: string): Promise<number> {
  const row = await db
    .prepare('SELECT COUNT(*) AS count FROM site_addresses WHERE user_id = ?')
    .bind(userId)
    .first<{ count: number }>()
  return row?.count ?? 0
}

/**
 * Make a label the address of a user's site, in place of the one that it has. Their batch fails where the label is another
 * account's, another site's or withdrawn, past {@link MAX_ADDRESSES}, and where the site is gone or nothing of it is paid.
 */
export function setAddressStatements(
  db: D1Database,
  { id, userId }: { id: string; userId: string },
  label: string,
  now: number,
): D1PreparedStatement[] {
  return [
    db
      .prepare('UPDATE site_addresses SET until_at = ?1 WHERE site_id = ?2 AND until_at IS NULL AND label <> ?3')
      .bind(now, id, label),
    db
      .prepare(
        `INSERT INTO site_addresses (label, user_id, site_id, since_at) SELECT ?1, ?2, ?3, ?4
         WHERE (SELECT COUNT(*) FROM site_addresses WHERE user_id = ?2) < ?5
           OR EXISTS (SELECT 1 FROM site_addresses WHERE label = ?1)
         ON CONFLICT (label) DO UPDATE SET site_id = ?3, since_at = ?4, until_at = NULL
           WHERE user_id = ?2 AND withdrawn_at IS NULL AND until_at IS NOT NULL`,
      )
      .bind(label, userId, id, now, MAX_ADDRESSES),
    assertionStatement(
      db,
      'EXISTS (SELECT 1 FROM site_addresses WHERE label = ? AND user_id = ? AND site_id = ? AND until_at IS NULL)',
      label,
      userId,
      id,
    ),
    assertionStatement(db, 'EXISTS (SELECT 1 FROM sites WHERE id = ? AND user_id = ?)', id, userId),
    assertionStatement(db, PAID, id),
  ]
}

/** Ends the address of a user's site; nothing happens where it has none. */
export function endAddressStatement(db: D1Database, site: string, userId: string, now: number): D1PreparedStatement {
  return db
    .prepare('UPDATE site_addresses SET until_at = ? WHERE site_id = ? AND user_id = ? AND until_at IS NULL')
    .bind(now, site, userId)
}

/** Ends the addresses of an account that was closed; nothing while it is open. They stay its own. */
export function endClosedAddressesStatement(db: D1Database, userId: string, now: number): D1PreparedStatement {
  return db
    .prepare(`UPDATE site_addresses SET until_at = ?2 WHERE user_id = ?1 AND until_at IS NULL AND ${isClosed('?1')}`)
    .bind(userId, now)
}

/** Withdraws an address for ever, and records who did so and why. Nothing happens to one that is withdrawn already. */
export async function withdrawAddress(
  db: D1Database,
  label: string,
  { by, reason, at }: { by: string; reason: string; at: number },
): Promise<void> {
  await db.batch([
    db
      .prepare(
        `UPDATE site_addresses SET withdrawn_at = ?1, until_at = IFNULL(until_at, ?1)
         WHERE label = ?2 AND withdrawn_at IS NULL`,
      )
      .bind(at, label),
    insertAuditStatement(
      db,
      { at, actor: by, act: 'address.withdrawn', subject: `address:${label}`, reason },
      { ifChanged: true },
    ),
  ])
}
