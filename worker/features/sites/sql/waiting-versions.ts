import { inState } from '../../items/sql/item-state.ts'

/** A stored version that is to become current; `by` is the name of who asked for it. */
export interface WaitingVersion {
  siteId: string
  userId: string
  number: number
  itemId: string
  by: string
}

/** Versions that were to become current once they are stored, and are. */
export async function selectStoredWaiting(db: D1Database, limit: number): Promise<WaitingVersion[]> {
  const { results } = await db
    .prepare(
      `SELECT v.site_id AS siteId, sites.user_id AS userId, v.number, v.item_id AS itemId, v.when_stored AS "by"
       FROM site_versions AS v INDEXED BY site_versions_waiting CROSS JOIN items ON items.id = v.item_id
         CROSS JOIN sites ON sites.id = v.site_id
       WHERE v.when_stored IS NOT NULL AND ${inState('stored')} LIMIT ?`,
    )
    .bind(limit)
    .all<WaitingVersion>()
  return results
}

/** Notes that a version did not become current, since the site would answer 500 with it; nothing if it waits no more. */
export async function refuseWaiting(db: D1Database, siteId: string, number: number): Promise<void> {
  await db
    .prepare(
      `UPDATE site_versions SET when_stored = NULL, refused = 1
       WHERE site_id = ? AND number = ? AND when_stored IS NOT NULL`,
    )
    .bind(siteId, number)
    .run()
}
