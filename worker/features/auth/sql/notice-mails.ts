import { insertSelectedMailsStatement, isQueued, type NoticeTemplate } from '../../../platform/records/mail-queue.ts'

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
  return insertSelectedMailsStatement(
    db,
    `SELECT ?1, email, ?2, NULL, ?3, ?4, ?4 FROM users WHERE id = ?5${ifChanged ? ' AND changes() > 0' : ''}
       AND NOT ${isQueued({ recipient: 'users.email', template: '?2', about: '?3' })}`,
    [crypto.randomUUID(), template, about ?? null, now, userId],
  )
}
