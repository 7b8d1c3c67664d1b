import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'

/** SQL, with the id of an item as its first parameter: whether a report of it, or of a file of it, waits for a decision. */
const OPEN_REPORT = `EXISTS (SELECT 1 FROM reports WHERE status = 'open' AND (
  kind = 'item' AND value IN (SELECT id FROM items WHERE id = ?1 OR part_of = ?1)
  OR kind = 'cid' AND value IN (SELECT cid FROM items WHERE id = ?1 OR part_of = ?1)))`

/** The statement that fails its batch where a report of an item, or of a file of it, waits for a decision. */
export function assertNoOpenReportStatement(db: D1Database, itemId: string): D1PreparedStatement {
  return assertionStatement(db, `NOT ${OPEN_REPORT}`, itemId)
}

/** Whether a report of an item, or of a file of it, waits for a decision. */
export async function hasOpenReport(db: D1Database, itemId: string): Promise<boolean> {
  return (await db.prepare(`SELECT 1 WHERE ${OPEN_REPORT}`).bind(itemId).first()) !== null
}
