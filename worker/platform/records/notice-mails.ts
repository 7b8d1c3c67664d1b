/** A mail that notifies an account of an event, without a link. */
export type NoticeTemplate = 'webhook' | 'incident' | 'reused' | 'password' | 'key' | 'passkey' | 'order' | 'alert'

/**
 * The statement that queues a mail to an account, in the batch of the change that it reports. Its text names `about`. A
 * scheduled job sends it; the same mail is not queued a second time. With `ifChanged` it is queued only where the
 * statement before it in the batch changed a row. `now` in milliseconds.
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
