import { ATTEMPT_WINDOW, MAIL_WINDOW } from '../auth/count-attempt.ts'
import { LIFETIME } from '../auth/token-claims.ts'
import type { Config } from '../config/config.ts'
import { dayOf, deleteSpendingBeforeStatement } from '../storage/accounts/api-keys.ts'
import { deleteAttemptsBeforeStatement } from '../storage/accounts/attempts.ts'
import { deleteExpiredMailLinksStatement } from '../storage/accounts/mail-links.ts'
import { deleteMailsBeforeStatement } from '../storage/accounts/mails.ts'
import { deleteExpiredChallengesStatement } from '../storage/accounts/passkeys.ts'
import { deleteExpiredSessionsStatement } from '../storage/accounts/sessions.ts'
import { deleteExpiredWaitsStatement } from '../storage/accounts/sign-up-waits.ts'
import { deliverDueMails } from './deliver-mail.ts'

/** What the clock brings: mail that waited is sent, and what has expired is deleted. `now` in milliseconds. */
export async function sweepAccounts(db: D1Database, config: Config, now: number): Promise<void> {
  await db.batch([
    deleteExpiredSessionsStatement(db, now),
    deleteExpiredMailLinksStatement(db, now),
    deleteExpiredWaitsStatement(db, now),
    deleteAttemptsBeforeStatement(db, { logins: now - ATTEMPT_WINDOW, mails: now - MAIL_WINDOW }),
    deleteMailsBeforeStatement(db, now - LIFETIME.mailLink * 1000),
    deleteSpendingBeforeStatement(db, dayOf(now)),
    deleteExpiredChallengesStatement(db, now),
  ])
  await deliverDueMails(db, config, now)
}
