import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { insertNoticeMailStatement } from './notice-mails.ts'

/** A link that was mailed and not followed yet; times in milliseconds. */
export interface MailLink {
  jti: string
  userId: string
  kind: 'verify' | 'reset' | 'email'
  createdAt: number
  expiresAt: number
  /** Of a change of the address: the new one. */
  email?: string | undefined
}

/** Writes a link for the account with this address, if it is in one of `statuses` (a JSON list). */
export function insertMailLinkStatement(
  db: D1Database,
  link: Omit<MailLink, 'userId'> & { email: string },
  statuses: readonly number[],
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO mail_links (jti, user_id, kind, created_at, expires_at)
       SELECT ?1, id, ?2, ?3, ?4 FROM users WHERE email = ?5 AND status IN (SELECT value FROM json_each(?6))`,
    )
    .bind(link.jti, link.kind, link.createdAt, link.expiresAt, link.email, JSON.stringify(statuses))
}

/** Deletes every link of the pending account with this address: somebody signs up with it again. */
export function deleteLinksOfPendingUserStatement(db: D1Database, email: string): D1PreparedStatement {
  return db
    .prepare('DELETE FROM mail_links WHERE user_id = (SELECT id FROM users WHERE email = ? AND status = 2)')
    .bind(email)
}

const toLink = rowReader<MailLink>({})

/** The live link with this id. */
export async function selectMailLink(db: D1Database, jti: string, now: number): Promise<MailLink | undefined> {
  const row = await db
    .prepare('SELECT * FROM mail_links WHERE jti = ? AND expires_at > ?')
    .bind(jti, now)
    .first<Row<MailLink>>()
  return row ? toLink(row) : undefined
}

/**
 * Uses a verification link up: the account gets `status` and the role of a user, even if an earlier sign-up was given another,
 * and its other verification links are void. Returns whether the link was live.
 */
export async function redeemVerifyLink(db: D1Database, link: MailLink, status: number, now: number): Promise<boolean> {
  const [updated] = await db.batch([
    db
      .prepare(
        `UPDATE users SET status = ?1, role = 'user' WHERE id = ?2 AND status = 2
         AND EXISTS (SELECT 1 FROM mail_links WHERE jti = ?3 AND user_id = ?2 AND kind = 'verify' AND expires_at > ?4)`,
      )
      .bind(status, link.userId, link.jti, now),
    db.prepare("DELETE FROM mail_links WHERE user_id = ? AND kind = 'verify' AND changes() = 1").bind(link.userId),
  ])
  return updated?.meta.changes === 1
}

/**
 * Uses a reset link up: the account gets the new hash, every token, key, passkey, known device and link of it ends, and its failed
 * logins are deleted, in one batch with the statements of `also`, which gets the condition as SQL. Whoever follows the link reads the mail, so a pending address counts as verified
 * and gets `verifiedStatus` and the role of a user. Returns whether the link was live.
 */
export async function redeemResetLink(
  db: D1Database,
  link: MailLink,
  change: { passwordHash: string; verifiedStatus: number; address: string },
  now: number,
  also: (isLive: string, values: readonly (string | number)[]) => D1PreparedStatement[],
): Promise<boolean> {
  const live = `EXISTS (SELECT 1 FROM mail_links WHERE jti = ?1 AND user_id = ?2 AND kind = 'reset' AND expires_at > ?3)`
  const bound = [link.jti, link.userId, now] as const
  const entry = { at: now, actor: link.userId, account: link.userId }
  const [updated] = await db.batch([
    db
      .prepare(
        `UPDATE users SET password_hash = ?4, token_epoch = token_epoch + 1, device_epoch = token_epoch + 1,
           role = CASE status WHEN 2 THEN 'user' ELSE role END, status = CASE status WHEN 2 THEN ?5 ELSE status END
         WHERE id = ?2 AND status <> 0 AND ${live}`,
      )
      .bind(...bound, change.passwordHash, change.verifiedStatus),
    insertAuditStatement(db, { ...entry, act: 'password.changed', reason: 'by a mailed link' }, { ifChanged: true }),
    insertAuditStatement(db, { ...entry, act: 'sessions.ended' }, { ifChanged: true }),
    insertNoticeMailStatement(db, 'password', { userId: link.userId }, now, { ifChanged: true }),
    ...also(
      "EXISTS (SELECT 1 FROM mail_links WHERE jti = ? AND user_id = ? AND kind = 'reset' AND expires_at > ?)",
      bound,
    ),
    db.prepare(`DELETE FROM sessions WHERE user_id = ?2 AND ${live}`).bind(...bound),
    db.prepare(`DELETE FROM api_keys WHERE user_id = ?2 AND ${live}`).bind(...bound),
    db.prepare(`DELETE FROM passkeys WHERE user_id = ?2 AND ${live}`).bind(...bound),
    db.prepare(`DELETE FROM attempts WHERE kind = 'login' AND address = ?4 AND ${live}`).bind(...bound, change.address),
    db.prepare(`DELETE FROM mail_links WHERE user_id = ?2 AND ${live}`).bind(...bound),
  ])
  return updated?.meta.changes === 1
}
