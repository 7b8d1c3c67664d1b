import { firstRow } from '../../../platform/d1/first-row.ts'

/** When the newest pending account beyond `most` was made, in milliseconds; none where there are no more. */
export async function selectPendingBeyond(db: D1Database, most: number): Promise<number | undefined> {
  const row = await db
    .prepare('SELECT created_at AS at FROM users WHERE status = 2 ORDER BY created_at DESC LIMIT 1 OFFSET ?')
    .bind(most)
    .first<{ at: number }>()
  return row?.at
}

/** Pending accounts that were made at `until` or before, the oldest first; milliseconds. */
export async function selectPendingUntil(db: D1Database, until: number, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare('SELECT id FROM users WHERE status = 2 AND created_at <= ? ORDER BY created_at LIMIT ?')
    .bind(until, limit)
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}

/** Deletes accounts with what waits for their verification, but for those that were verified meanwhile. */
export async function deletePendingUsers(db: D1Database, ids: readonly string[]): Promise<void> {
  const pending = 'SELECT id FROM users WHERE id IN (SELECT value FROM json_each(?)) AND status = 2'
  await db.batch(
    [
      `DELETE FROM mail_links WHERE user_id IN (${pending})`,
      `DELETE FROM sign_up_waits WHERE user_id IN (${pending})`,
      `DELETE FROM users WHERE id IN (${pending})`,
    ].map((sql) => db.prepare(sql).bind(JSON.stringify(ids))),
  )
}

/** How many sessions there are; all of them are read. */
export async function countSessions(db: D1Database): Promise<number> {
  return (await firstRow<{ n: number }>(db.prepare('SELECT COUNT(*) AS n FROM sessions'))).n
}

/** The accounts that have most sessions, at most `limit`; all sessions are read. */
export async function selectMostSessions(
  db: D1Database,
  limit: number,
): Promise<{ userId: string; sessions: number }[]> {
  const { results } = await db
    .prepare(
      'SELECT user_id AS userId, COUNT(*) AS sessions FROM sessions GROUP BY user_id ORDER BY sessions DESC LIMIT ?',
    )
    .bind(limit)
    .all<{ userId: string; sessions: number }>()
  return results
}

/** Deletes so many sessions of an account, those that end first. */
export async function deleteFirstSessions(db: D1Database, userId: string, count: number): Promise<void> {
  await db
    .prepare(
      'DELETE FROM sessions WHERE jti IN (SELECT jti FROM sessions WHERE user_id = ? ORDER BY expires_at LIMIT ?)',
    )
    .bind(userId, count)
    .run()
}
