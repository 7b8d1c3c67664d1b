import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import type { NoticeTemplate } from '../../../platform/records/notice-mails.ts'

/** Which text a mail has: the two with a link, the two that answer a sign-up with the address of an account, and notices. */
export type MailTemplate = 'verify' | 'reset' | 'known' | 'closed' | NoticeTemplate

/** A mail that waits to be sent; times in milliseconds. */
export interface Mail {
  id: string
  recipient: string
  template: MailTemplate
  linkJti: string | undefined
  /** What a notice names. */
  about: string | undefined
  createdAt: number
  /** How often it was tried, this time included. */
  attempts: number
}

const toMail = rowReader<Mail>({})

/** Writes the mail that carries a link, if the link was written. */
export function insertLinkMailStatement(db: D1Database, id: string, jti: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO mails (id, recipient, template, link_jti, created_at, next_attempt_at)
       SELECT ?1, users.email, mail_links.kind, mail_links.jti, ?3, ?3
       FROM mail_links JOIN users ON users.id = mail_links.user_id WHERE mail_links.jti = ?2`,
    )
    .bind(id, jti, now)
}

/** Writes the mail to somebody whose address was signed up with though it has an account already. */
export function insertKnownAddressMailStatement(
  db: D1Database,
  id: string,
  email: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO mails (id, recipient, template, created_at, next_attempt_at)
       SELECT ?1, email, CASE status WHEN 0 THEN 'closed' ELSE 'known' END, ?3, ?3
       FROM users WHERE email = ?2 AND status <> 2`,
    )
    .bind(id, email, now)
}

/** Takes a due mail for one attempt; it is not due again before `retryAt`. */
export async function claimMail(db: D1Database, id: string, now: number, retryAt: number): Promise<Mail | undefined> {
  const row = await db
    .prepare(
      `UPDATE mails SET attempts = attempts + 1, next_attempt_at = ?
       WHERE id = ? AND next_attempt_at <= ? RETURNING id, recipient, template, link_jti, about, created_at, attempts`,
    )
    .bind(retryAt, id, now)
    .first<Row<Mail>>()
  return row ? toMail(row) : undefined
}

/** The ids of the mails that are due, the longest waiting first, with how often each was tried. */
export async function selectDueMails(db: D1Database, now: number, most: number) {
  const { results } = await db
    .prepare('SELECT id, attempts FROM mails WHERE next_attempt_at <= ? ORDER BY next_attempt_at LIMIT ?')
    .bind(now, most)
    .all<{ id: string; attempts: number }>()
  return results
}

/** Since when the oldest mail waits that is not sent yet, in milliseconds. */
export async function selectOldestMail(db: D1Database): Promise<number | undefined> {
  return (await db.prepare('SELECT MIN(created_at) AS oldest FROM mails').first<number>('oldest')) ?? undefined
}

/** Deletes a mail: it was sent, or there is no use in sending it. */
export async function deleteMail(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM mails WHERE id = ?').bind(id).run()
}
