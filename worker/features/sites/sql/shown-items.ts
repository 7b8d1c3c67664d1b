import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'

/** SQL, with the id of an item as its parameter: whether a site shows it, or is to show it once it is stored. */
const SHOWN = `EXISTS (SELECT 1 FROM site_versions AS v JOIN sites ON sites.id = v.site_id
  WHERE v.item_id = ? AND (sites.current = v.number OR v.when_stored IS NOT NULL))`

/** The statement that fails its batch where a site shows an item, or is to show it. */
export function assertNotShownStatement(db: D1Database, itemId: string): D1PreparedStatement {
  return assertionStatement(db, `NOT ${SHOWN}`, itemId)
}

/** Whether a site shows an item, or is to show it. */
export async function isShown(db: D1Database, itemId: string): Promise<boolean> {
  return (await db.prepare(`SELECT 1 WHERE ${SHOWN}`).bind(itemId).first()) !== null
}
