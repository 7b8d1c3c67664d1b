import {
  type DeniedValue,
  insertDeniedStatements,
  type Lifting,
  liftDeniedStatements,
  type NewDenied,
} from '../../../content/denylist/denied.ts'

/**
 * Puts a value on the list, or back on it, says so in the audit log, and decides the open report of it, if there is one.
 * `now` in milliseconds.
 */
export async function insertDenied(db: D1Database, entry: NewDenied, now: number): Promise<void> {
  const decided = db
    .prepare(
      `UPDATE reports SET status = 'denied', decided_by = ?, decided_at = ?, decision = ?
       WHERE kind = ? AND digest = ? AND status = 'open'`,
    )
    .bind(entry.deniedBy, now, entry.reason, entry.kind, entry.digest)
  await db.batch([...insertDeniedStatements(db, entry, now), decided])
}

/**
 * Removes a value from the list, records that in the audit log, and dismisses the report for which it was denied. Nothing
 * happens if it is not on the list.
 */
export async function liftDenied(db: D1Database, entry: DeniedValue, lifting: Lifting): Promise<void> {
  const dismissed = db
    .prepare(
      `UPDATE reports SET status = 'dismissed', decided_by = ?, decided_at = ?, decision = ?
       WHERE kind = ? AND digest = ? AND status = 'denied'`,
    )
    .bind(lifting.by, lifting.now, lifting.reason ?? null, entry.kind, entry.digest)
  await db.batch([...liftDeniedStatements(db, entry, lifting), dismissed])
}
