import { ATTEMPT_WINDOW } from '../auth/count-attempt.ts'
import { LIFETIME } from '../auth/token-claims.ts'
import type { Config } from '../config/config.ts'
import { deleteAttemptsBefore } from '../storage/accounts/attempts.ts'
import { deleteExpiredMailLinks } from '../storage/accounts/mail-links.ts'
import { deleteMailsBefore } from '../storage/accounts/mails.ts'
import { deleteExpiredSessions } from '../storage/accounts/sessions.ts'
import { deliverDueMails } from './deliver-mail.ts'

/** What the clock brings: mail that waited is sent, and what has expired is deleted. `now` in milliseconds. */
export async function sweepAccounts(db: D1Database, config: Config, now: number): Promise<void> {
  await db.batch([
    deleteExpiredSessions(db, now),
    deleteExpiredMailLinks(db, now),
    deleteAttemptsBefore(db, now - ATTEMPT_WINDOW),
    deleteMailsBefore(db, now - LIFETIME.mailLink * 1000),
  ])
  await deliverDueMails(db, config, now)
}
