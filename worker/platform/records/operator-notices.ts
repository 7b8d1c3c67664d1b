import type { EventType } from '../../../contract/event-types.ts'

/** A notification for operators; `data` is the JSON text of an object, `at` in milliseconds. */
export interface OperatorNotice {
  type: EventType
  /** What it concerns: usually a chain. */
  subject: string
  data: string
  /** The lines of the mail: what happened and what to do. */
  lines: readonly string[]
  at: number
}

/** Operators with a confirmed address, as SQL. */
const OPERATORS = `users WHERE role = 'admin' AND status = 1`

/**
 * The statements that notify every operator: by an event, and so by webhooks, and by a mail. They belong to the batch
 * of the change that they report, which is committed once.
 */
export function notifyOperatorsStatements(
  db: D1Database,
  { type, subject, data, lines, at }: OperatorNotice,
): D1PreparedStatement[] {
  return [
    db
      .prepare(`INSERT INTO events (user_id, type, subject, data, at) SELECT id, ?, ?, ?, ? FROM ${OPERATORS}`)
      .bind(type, subject, data, at),
    db
      .prepare(
        `INSERT INTO mails (id, recipient, template, about, created_at, next_attempt_at)
         SELECT lower(hex(randomblob(16))), email, 'incident', ?1, ?2, ?2 FROM ${OPERATORS}`,
      )
      .bind(lines.join('\n'), at),
  ]
}
