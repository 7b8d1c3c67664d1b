import type { EventType } from '../../../contract/event-types.ts'

/** Something that operators have to know; `data` is the JSON text of an object, `at` in milliseconds. */
export interface OperatorNotice {
  type: EventType
  /** What it is about: a chain, as a rule. */
  subject: string
  data: string
  /** What happened and what to do, as lines of a mail. */
  lines: readonly string[]
  at: number
}

/** Accounts that may operate, and whose address is confirmed, as SQL. */
const OPERATORS = `users WHERE role = 'admin' AND status = 1`

/**
 * The statements that tell every operator: an event, and so their webhooks, and a mail. They are in the batch of what they
 * tell of, which is to succeed once.
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
