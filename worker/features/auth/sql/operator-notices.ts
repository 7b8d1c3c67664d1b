import type { EventType } from '../../../../contract/event-types.ts'
import { insertSelectedEventsStatement } from '../../../platform/records/event-queue.ts'
import { insertSelectedMailsStatement } from '../../../platform/records/mail-queue.ts'

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
    insertSelectedEventsStatement(db, `SELECT id, ?, ?, ?, ? FROM ${OPERATORS}`, [type, subject, data, at]),
    insertSelectedMailsStatement(
      db,
      `SELECT lower(hex(randomblob(16))), email, 'incident', NULL, ?1, ?2, ?2 FROM ${OPERATORS}`,
      [lines.join('\n'), at],
    ),
  ]
}
