/** A mail that tells of something that happened to an account, without a link. */
export type NoticeTemplate = 'webhook' | 'incident' | 'reused' | 'password' | 'key' | 'passkey'

/**
 * The statement that writes a mail to an account: in the batch of what it tells of. `about` is what its text names. The
 * clock sends it, and the same is not written again while it waits for that. With `ifChanged` it is written only when the statement before it in the batch changed a row. `now` in
 * milliseconds.
 */
export function insertNoticeMailStatement(
  db: D1Database,
  template: NoticeTemplate,
  { userId, about }: { userId: string; about?: string },
  now: number,
  { ifChanged = false }: { ifChanged?: boolean } = {},
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO mails (id, recipient, template, about, created_at, next_attempt_at)
       SELECT ?1, email, ?2, ?3, ?4, ?4 FROM users WHERE id = ?5${ifChanged ? ' AND changes() > 0' : ''}
         AND NOT EXISTS (SELECT 1 FROM mails WHERE recipient = users.email AND template = ?2 AND about IS ?3)`,
    )
    .bind(crypto.randomUUID(), template, about ?? null, now, userId)
}
