import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import { insertOperatorMailStatement } from '../../../platform/records/mail-queue.ts'
import { type AlertMessage, alertLines } from '../alerts/alert-text.ts'
import type { Alert, AlertChange } from '../alerts/decide-alerts.ts'

const toAlert = rowReader<Alert>({})

/** Whom to tell: a mail address, and whether a webhook is sent messages. */
export interface AlertReceivers {
  mail: string | undefined
  webhook: boolean
}

/** All signs that last. */
export async function selectAlerts(db: D1Database): Promise<Alert[]> {
  const { results } = await db
    .prepare('SELECT name, subject, detail, first_at, last_at, raised_at FROM alerts ORDER BY name, subject')
    .all<Row<Alert>>()
  return results.map(toAlert)
}

/**
 * The statements of a change at `now` (milliseconds), for one batch: what is told is queued with the change, and by one of two
 * runs that find the same.
 */
export function alertStatements(
  db: D1Database,
  change: AlertChange,
  { mail, webhook }: AlertReceivers,
  now: number,
): D1PreparedStatement[] {
  const { kind, name, subject, detail } = change
  const of = 'name = ?1 AND subject = ?2'
  const told = (state: AlertMessage['state']): D1PreparedStatement[] => {
    const message = { state, name, subject, detail }
    const about = alertLines(message).join('\n')
    return [
      ...(webhook ? [insertMessageStatement(db, message, now)] : []),
      ...(mail === undefined ? [] : [insertOperatorMailStatement(db, { recipient: mail, about, now })]),
    ]
  }
  switch (kind) {
    case 'begin':
      return [
        db
          .prepare(
            'INSERT INTO alerts (name, subject, detail, first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT DO NOTHING',
          )
          .bind(name, subject, detail, now),
      ]
    case 'seen':
      return [db.prepare(`UPDATE alerts SET last_at = ?3, detail = ?4 WHERE ${of}`).bind(name, subject, now, detail)]
    case 'raise':
      return [
        db
          .prepare(`UPDATE alerts SET last_at = ?3, detail = ?4, raised_at = ?3 WHERE ${of} AND raised_at IS NULL`)
          .bind(name, subject, now, detail),
        ...told('raised'),
      ]
    case 'forget':
      return [db.prepare(`DELETE FROM alerts WHERE ${of} AND raised_at IS NULL`).bind(name, subject)]
    case 'over':
      return [
        db.prepare(`DELETE FROM alerts WHERE ${of} AND raised_at IS NOT NULL`).bind(name, subject),
        ...told('over'),
      ]
  }
}

/** Queued where the statement before it in the batch changed a row. */
function insertMessageStatement(db: D1Database, message: AlertMessage, now: number): D1PreparedStatement {
  return db
    .prepare('INSERT INTO alert_messages (body, created_at, next_attempt_at) SELECT ?1, ?2, ?2 WHERE changes() > 0')
    .bind(JSON.stringify(message), now)
}

/** A message that waits for the webhook to accept it. */
interface WaitingMessage {
  id: number
  body: string
}

/** Claims the messages that are due for one attempt, the oldest first; they are not due again before `retryAt`. */
export async function claimMessages(
  db: D1Database,
  most: number,
  { now, retryAt }: { now: number; retryAt: number },
): Promise<WaitingMessage[]> {
  const { results } = await db
    .prepare(
      `UPDATE alert_messages SET next_attempt_at = ?1 WHERE id IN (
         SELECT id FROM alert_messages WHERE next_attempt_at <= ?2 ORDER BY id LIMIT ?3) RETURNING id, body`,
    )
    .bind(retryAt, now, most)
    .all<WaitingMessage>()
  return results.sort((a, b) => a.id - b.id)
}

/** Deletes messages: they were accepted. */
export async function deleteMessages(db: D1Database, ids: readonly number[]): Promise<void> {
  await db
    .prepare('DELETE FROM alert_messages WHERE id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(ids))
    .run()
}

/** Deletes messages that no webhook accepted and that are older than `before`, in milliseconds. */
export async function deleteOldMessages(db: D1Database, before: number): Promise<void> {
  await db.prepare('DELETE FROM alert_messages WHERE created_at < ?').bind(before).run()
}
