import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Config } from '../../platform/config/config.ts'
import { ATTEMPT_WINDOW, MAIL_WINDOW } from '../auth/count-attempt.ts'
import { dayOf } from '../auth/sql/api-keys.ts'
import { deleteAttemptsBeforeStatement, deleteAttemptsBeyondStatement } from '../auth/sql/attempts.ts'
import { deliverDueMails } from './deliver-mail.ts'
import { enforceAccountBudgets } from './enforce-budgets.ts'

/**
 * Attempts that are stored, some 280 MB. 200 mails a second, each to another mailbox from another network, would be 17 million in
 * the day that they count; logins, which count for minutes, are never among the oldest at that rate.
 */
const MOST_ATTEMPTS = 1_000_000

/** Tables whose rows expire; an answered challenge is stored while it could be answered again. */
const EXPIRING = ['sessions', 'mail_links', 'sign_up_waits', 'passkey_challenges']

/** Deletes what has expired, and sends mail that waited. `now` in milliseconds. */
export async function sweepAccounts(db: D1Database, config: Config, now: number): Promise<void> {
  await db.batch([
    ...EXPIRING.map((table) => db.prepare(`DELETE FROM ${table} WHERE expires_at <= ?`).bind(now)),
    deleteAttemptsBeforeStatement(db, { logins: now - ATTEMPT_WINDOW, mails: now - MAIL_WINDOW }),
    deleteAttemptsBeyondStatement(db, MOST_ATTEMPTS),
    // Mails that could not be sent while their links lived, and what API keys spent before today.
    db.prepare('DELETE FROM mails WHERE created_at <= ?').bind(now - LIFETIMES.mailLink * 1000),
    db.prepare('DELETE FROM api_key_spending WHERE day < ?').bind(dayOf(now)),
  ])
  await enforceAccountBudgets(db, config.budgets, now)
  await deliverDueMails(db, config, now)
}
