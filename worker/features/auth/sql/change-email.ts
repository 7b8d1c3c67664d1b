import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { insertSelectedMailsStatement } from '../../../platform/records/mail-queue.ts'
import type { MailLink } from './mail-links.ts'
import { insertNoticeMailStatement } from './notice-mails.ts'
import type { User } from './users.ts'

/** In SQL, whether an address (SQL as well) belongs to an account, a closed one among them. A pending sign-up holds none. */
const isTaken = (email: string) => `EXISTS (SELECT 1 FROM users WHERE email = ${email} AND status <> 2)`

/**
 * The statements that write the link of a change of address in place of an earlier one, unless the account changed since
 * `user` was read or the address belongs to an account.
 */
export function insertEmailLinkStatements(
  db: D1Database,
  user: User,
  link: Omit<MailLink, 'userId' | 'kind'> & { email: string },
): D1PreparedStatement[] {
  return [
    db.prepare("DELETE FROM mail_links WHERE user_id = ? AND kind = 'email'").bind(user.id),
    db
      .prepare(
        `INSERT INTO mail_links (jti, user_id, kind, created_at, expires_at, email)
         SELECT ?1, id, 'email', ?2, ?3, ?4 FROM users
         WHERE id = ?5 AND status = 1 AND token_epoch = ?6 AND NOT ${isTaken('?4')}`,
      )
      .bind(link.jti, link.createdAt, link.expiresAt, link.email, user.id, user.tokenEpoch),
  ]
}

/** Writes the mail to an address that another account is to be moved to though it has an account already. */
export function insertTakenAddressMailStatement(
  db: D1Database,
  id: string,
  email: string,
  now: number,
): D1PreparedStatement {
  return insertSelectedMailsStatement(
    db,
    "SELECT ?1, email, 'taken', NULL, NULL, ?3, ?3 FROM users WHERE email = ?2 AND status <> 2",
    [id, email, now],
  )
}

/**
 * Uses the link of a change of address up: the account has the new address, in the place of a sign-up with it that was never
 * verified; every mailed link of it is void, and the address until now is told. Returns whether the link was live and the
 * address free.
 */
export async function redeemEmailLink(
  db: D1Database,
  link: MailLink & { email: string },
  from: string,
  now: number,
): Promise<boolean> {
  const { userId, email } = link
  const live = `EXISTS (SELECT 1 FROM mail_links WHERE jti = ?1 AND user_id = ?2 AND kind = 'email' AND expires_at > ?3)`
  const bound = [link.jti, userId, now] as const
  const pending = `(SELECT id FROM users WHERE email = ?4 AND status = 2)`
  const entry = { at: now, actor: userId, account: userId, act: 'email.changed' } as const
  const results = await db.batch([
    db.prepare(`DELETE FROM sign_up_waits WHERE user_id = ${pending} AND ${live}`).bind(...bound, email),
    db.prepare(`DELETE FROM mail_links WHERE user_id = ${pending} AND ${live}`).bind(...bound, email),
    db.prepare(`DELETE FROM users WHERE email = ?4 AND status = 2 AND ${live}`).bind(...bound, email),
    insertNoticeMailStatement(db, 'moved', { userId, about: email }, now),
    db
      .prepare(
        `UPDATE users SET email = ?4 WHERE id = ?2 AND status = 1 AND email = ?5 AND ${live} AND NOT ${isTaken('?4')}`,
      )
      .bind(...bound, email, from),
    insertAuditStatement(db, entry, { ifChanged: true }),
    db.prepare(`DELETE FROM mail_links WHERE user_id = ?2 AND ${live}`).bind(...bound),
  ])
  return results[4]?.meta.changes === 1
}
