import { dayOf } from './api-keys.ts'

/** Tables whose rows expire; an answered challenge is stored while it could be answered again. */
const EXPIRING = ['sessions', 'mail_links', 'sign_up_waits', 'passkey_challenges']

/** The statements that delete what has expired, and what API keys spent before today; `now` in milliseconds. */
export function deleteExpiredStatements(db: D1Database, now: number): D1PreparedStatement[] {
  return [
    ...EXPIRING.map((table) => db.prepare(`DELETE FROM ${table} WHERE expires_at <= ?`).bind(now)),
    db.prepare('DELETE FROM api_key_spending WHERE day < ?').bind(dayOf(now)),
  ]
}
