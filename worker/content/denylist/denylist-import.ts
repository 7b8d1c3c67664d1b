import { insertAuditStatement } from '../../platform/records/audit-log.ts'

/** The row of the external denylist that the operator follows; times in milliseconds. */
export interface DenylistImport {
  url: string | null
  etag: string | null
  object: string | null
  previous: string | null
  entries: number
  skipped: number
  leftOut: number
  checkedAt: number
  changedAt: number | null
  problem: string | null
}

/** @throws {Error} where the row is missing, which the migration made. */
export async function selectDenylistImport(db: D1Database): Promise<DenylistImport> {
  const row = await db
    .prepare(
      `SELECT url, etag, object, previous, entries, skipped, left_out AS leftOut, checked_at AS checkedAt,
         changed_at AS changedAt, problem FROM denylist_import`,
    )
    .first<DenylistImport>()
  if (!row) throw new Error('The row of denylist_import is missing.')
  return row
}

/** Whether this call claimed the check that is due at `now`; `false` if another call did. */
export async function claimDenylistLook(db: D1Database, lastLook: number, now: number): Promise<boolean> {
  const { meta } = await db
    .prepare('UPDATE denylist_import SET checked_at = ? WHERE checked_at = ?')
    .bind(now, lastLook)
    .run()
  return meta.changes === 1
}

/** Records the result of a check that did not change the list. */
export async function noteDenylistLook(db: D1Database, problem: string | null): Promise<void> {
  await db.prepare('UPDATE denylist_import SET problem = ?').bind(problem).run()
}

/** Activates another list, or none, and records that in the audit log. */
export async function replaceDenylistImport(
  db: D1Database,
  list: Pick<DenylistImport, 'url' | 'etag' | 'object' | 'previous' | 'entries' | 'skipped' | 'leftOut'>,
  now: number,
): Promise<void> {
  const { url, etag, object, previous, entries, skipped, leftOut } = list
  const reason =
    object === null ? 'no list is followed any more' : `${entries} entries, ${skipped} skipped, ${leftOut} left out`
  await db.batch([
    db
      .prepare(
        `UPDATE denylist_import SET url = ?, etag = ?, object = ?, previous = ?, entries = ?, skipped = ?, left_out = ?,
           changed_at = ?, problem = NULL`,
      )
      .bind(url, etag, object, previous, entries, skipped, leftOut, now),
    insertAuditStatement(db, {
      at: now,
      actor: 'service',
      act: 'denylist.imported',
      subject: url === null ? undefined : `url:${url}`,
      reason,
    }),
  ])
}
