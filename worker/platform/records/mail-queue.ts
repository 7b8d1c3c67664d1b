import type { Language } from '../../../contract/languages.ts'
import { firstRow } from '../d1/first-row.ts'
import { type Row, rowReader } from '../d1/row-reader.ts'

/** A mail that notifies an account of an event, without a link. */
export type NoticeTemplate =
  | 'moving'
  | 'moved'
  | 'webhook'
  | 'incident'
  | 'reused'
  | 'password'
  | 'key'
  | 'passkey'
  | 'order'
  | 'alert'

/** Which text a mail has: the three with a link, the three about an address that an account has already, and notices. */
export type MailTemplate = 'verify' | 'reset' | 'email' | 'known' | 'closed' | 'taken' | NoticeTemplate

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
  /** Of the account that it is about, where it has set one. */
  language: Language | undefined
}

const toMail = rowReader<Mail>({})

/**
 * The statement that queues a mail for each row of `select`: SQL that selects id, recipient, template, link, what it is about, and
 * twice the time, with `values`.
 */
export function insertSelectedMailsStatement(
  db: D1Database,
  select: string,
  values: readonly (string | number | null)[],
): D1PreparedStatement {
  return db
    .prepare(`INSERT INTO mails (id, recipient, template, link_jti, about, created_at, next_attempt_at) ${select}`)
    .bind(...values)
}

/** The statement that queues a mail to `OPERATOR_MAIL`, where the statement before it in the batch changed a row. `now` in milliseconds. */
export function insertOperatorMailStatement(
  db: D1Database,
  { recipient, about, now }: { recipient: string; about: string; now: number },
): D1PreparedStatement {
  return insertSelectedMailsStatement(db, "SELECT ?1, ?2, 'alert', NULL, ?3, ?4, ?4 WHERE changes() > 0", [
    ...[crypto.randomUUID(), recipient, about, now],
  ])
}

/** In SQL, whether the same mail is queued already; the three are SQL as well. */
export function isQueued({ recipient, template, about }: Record<'recipient' | 'template' | 'about', string>): string {
  return `EXISTS (SELECT 1 FROM mails WHERE recipient = ${recipient} AND template = ${template} AND about IS ${about})`
}

/** Takes a due mail for one attempt; it is not due again before `retryAt`. */
export async function claimMail(db: D1Database, id: string, now: number, retryAt: number): Promise<Mail | undefined> {
  const row = await db
    .prepare(
      `UPDATE mails SET attempts = attempts + 1, next_attempt_at = ?
       WHERE id = ? AND next_attempt_at <= ? 
       RETURNING id, recipient, template, link_jti, about, created_at, attempts, IFNULL(
         (SELECT u.language FROM mail_links l JOIN users u ON u.id = l.user_id WHERE l.jti = link_jti),
         (SELECT u.language FROM users u WHERE u.email = recipient)) AS language`,
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

/** The statement that deletes mails that could not be sent until now; `before` in milliseconds. */
export function deleteMailsBeforeStatement(db: D1Database, before: number): D1PreparedStatement {
  return db.prepare('DELETE FROM mails WHERE created_at <= ?').bind(before)
}

/** Maximum number of mails that are counted: more are as bad. */
const MAX_COUNTED = 10_000

/** The number of mails that the provider has not accepted yet. */
export async function selectWaitingMails(db: D1Database): Promise<number> {
  const statement = db.prepare(`SELECT COUNT(*) AS n FROM (SELECT 1 FROM mails LIMIT ${MAX_COUNTED})`)
  return (await firstRow<{ n: number }>(statement)).n
}
