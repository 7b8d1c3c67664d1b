import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Config } from '../../platform/config/config.ts'
import { ATTEMPT_WINDOW, MAIL_WINDOW } from '../auth/count-attempt.ts'
import { dayOf, deleteSpendingBeforeStatement } from '../auth/sql/api-keys.ts'
import { deleteAttemptsBeforeStatement, deleteAttemptsBeyondStatement } from '../auth/sql/attempts.ts'
import { deleteExpiredChallengesStatement } from '../auth/sql/challenges.ts'
import { deleteExpiredSessionsStatement } from '../auth/sql/sessions.ts'
import { deliverDueMails } from './deliver-mail.ts'
import { keepAccountBudgets } from './keep-budgets.ts'
import { deleteExpiredMailLinksStatement } from './sql/mail-links.ts'
import { deleteMailsBeforeStatement } from './sql/mails.ts'
import { deleteExpiredWaitsStatement } from './sql/sign-up-waits.ts'

/**
 * Attempts that are stored, some 280 MB. 200 mails a second, each to another mailbox from another network, would be 17 million in
 * the day that they count; logins, which count for minutes, are never among the oldest at that rate.
 */
const MOST_ATTEMPTS = 1_000_000

/** What the clock brings: mail that waited is sent, and what has expired is deleted. `now` in milliseconds. */
export async function sweepAccounts(db: D1Database, config: Config, now: number): Promise<void> {
  await db.batch([
    deleteExpiredSessionsStatement(db, now),
    deleteExpiredMailLinksStatement(db, now),
    deleteExpiredWaitsStatement(db, now),
    deleteAttemptsBeforeStatement(db, { logins: now - ATTEMPT_WINDOW, mails: now - MAIL_WINDOW }),
    deleteAttemptsBeyondStatement(db, MOST_ATTEMPTS),
    deleteMailsBeforeStatement(db, now - LIFETIMES.mailLink * 1000),
    deleteSpendingBeforeStatement(db, dayOf(now)),
    deleteExpiredChallengesStatement(db, now),
  ])
  await keepAccountBudgets(db, config.budgets, now)
  await deliverDueMails(db, config, now)
}
