import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Config } from '../../platform/config/config.ts'
import { deleteMailsBeforeStatement } from '../../platform/records/mail-queue.ts'
import { ATTEMPT_WINDOW, MAIL_WINDOW } from '../auth/count-attempt.ts'
import { deleteAttemptsBeforeStatement, deleteAttemptsBeyondStatement } from '../auth/sql/attempts.ts'
import { deleteExpiredStatements } from '../auth/sql/expired-rows.ts'
import { deliverDueMails } from './deliver-mail.ts'
import { enforceAccountBudgets } from './enforce-budgets.ts'

/**
 * Attempts that are stored, some 280 MB. 200 mails a second, each to another mailbox from another network, would be 17 million in
 * the day that they count; logins, which count for minutes, are never among the oldest at that rate.
 */
const MOST_ATTEMPTS = 1_000_000

/** Deletes what has expired, and sends mail that waited. `now` in milliseconds. */
export async function sweepAccounts(db: D1Database, config: Config, now: number): Promise<void> {
  await db.batch([
    ...deleteExpiredStatements(db, now),
    deleteAttemptsBeforeStatement(db, { logins: now - ATTEMPT_WINDOW, mails: now - MAIL_WINDOW }),
    deleteAttemptsBeyondStatement(db, MOST_ATTEMPTS),
    // Those that could not be sent while their links lived.
    deleteMailsBeforeStatement(db, now - LIFETIMES.mailLink * 1000),
  ])
  await enforceAccountBudgets(db, config.budgets, now)
  await deliverDueMails(db, config, now)
}
