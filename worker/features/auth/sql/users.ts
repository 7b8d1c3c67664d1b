import type { Language } from '../../../../contract/languages.ts'
import type { RoleName } from '../../../../contract/scopes.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { insertNoticeMailStatement } from './notice-mails.ts'

/** States of an account (docs/behaviour/accounts.md). */
export const USER_STATUS = { closed: 0, active: 1, emailPending: 2, identityPending: 3 } as const

type UserStatus = (typeof USER_STATUS)[keyof typeof USER_STATUS]

/** An account; `createdAt` in milliseconds. */
export interface User {
  id: string
  email: string
  passwordHash: string
  firstName: string
  lastName: string
  role: RoleName
  status: UserStatus
  tokenEpoch: number
  createdAt: number
}

/** Turns a row of `users` into an account. */
export const toUser = rowReader<User>({})

/** The account with this id. */
export async function selectUser(db: D1Database, id: string): Promise<User | undefined> {
  const row = await db.prepare('SELECT * FROM users WHERE id = ?').bind(id).first<Row<User>>()
  return row ? toUser(row) : undefined
}

/** The account with this address, which is lower-cased. */
export async function selectUserByEmail(db: D1Database, email: string): Promise<User | undefined> {
  const row = await db.prepare('SELECT * FROM users WHERE email = ?').bind(email).first<Row<User>>()
  return row ? toUser(row) : undefined
}

/** The account with this id or address. @throws {AppError} 404 */
export async function requireAccount(db: D1Database, account: string): Promise<User> {
  const user = (await selectUser(db, account)) ?? (await selectUserByEmail(db, account.toLowerCase()))
  if (!user) throw notFound('There is no account with this id or address.')
  return user
}

/**
 * The statement that writes a pending account: a new one, or in place of one whose mail was never followed.
 * It changes nothing when the address belongs to an account that is past that.
 */
export function upsertPendingUserStatement(
  db: D1Database,
  user: Omit<User, 'role' | 'tokenEpoch' | 'status'> & { language?: Language | undefined },
) {
  return db
    .prepare(
      `INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at, language)
       VALUES (?1, ?2, ?3, ?4, ?5, 2, ?6, ?7)
       ON CONFLICT (email) DO UPDATE SET
         password_hash = ?3, first_name = ?4, last_name = ?5, role = 'user', created_at = ?6, language = ?7,
         token_epoch = token_epoch + 1
       WHERE status = 2`,
    )
    .bind(
      ...[user.id, user.email, user.passwordHash, user.firstName, user.lastName, user.createdAt],
      user.language ?? null,
    )
}

/** The epoch since which refresh tokens of an account show a known device: that of its last reset. */
export async function selectDeviceEpoch(db: D1Database, id: string): Promise<number | undefined> {
  const row = await db.prepare('SELECT device_epoch FROM users WHERE id = ?').bind(id).first<{ device_epoch: number }>()
  return row?.device_epoch
}

/** Exchanges one hash of a password for another of the same password. */
export async function updatePasswordHash(db: D1Database, id: string, from: string, to: string): Promise<void> {
  await db.prepare('UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?').bind(to, id, from).run()
}

/** Changes the names of an active account, those that are given. */
export async function updateNames(
  db: D1Database,
  id: string,
  names: { firstName: string | undefined; lastName: string | undefined },
): Promise<void> {
  await db
    .prepare(
      'UPDATE users SET first_name = IFNULL(?, first_name), last_name = IFNULL(?, last_name) WHERE id = ? AND status = 1',
    )
    .bind(names.firstName ?? null, names.lastName ?? null, id)
    .run()
}

/** What an account has chosen for itself. */
export interface Preferences {
  /** Who buys, as receipts name it. */
  buyer: string
  /** Whether it wants mails about its orders and withdrawals. */
  orderMails: boolean
  /** Of its mails and its console, where it has set one. */
  language: Language | undefined
}

const toPreferences = rowReader<Preferences>({
  orderMails: (value) => Boolean(value),
})

export async function selectPreferences(db: D1Database, id: string): Promise<Preferences | undefined> {
  const row = await db
    .prepare('SELECT buyer, order_mails, language FROM users WHERE id = ?')
    .bind(id)
    .first<Row<Preferences>>()
  return row ? toPreferences(row) : undefined
}

/** Changes what is given; a language of null is none. */
export async function updatePreferences(
  db: D1Database,
  id: string,
  {
    buyer,
    orderMails,
    language,
  }: {
    buyer: string | undefined
    orderMails: boolean | undefined
    language: Language | null | undefined
  },
): Promise<void> {
  await db
    .prepare(
      `UPDATE users SET buyer = IFNULL(?1, buyer), order_mails = IFNULL(?2, order_mails),
         language = CASE WHEN ?3 THEN ?4 ELSE language END
       WHERE id = ?5 AND status = 1`,
    )
    .bind(
      ...[buyer ?? null, orderMails === undefined ? null : Number(orderMails)],
      ...[Number(language !== undefined), language ?? null, id],
    )
    .run()
}

/**
 * Sets the password of an active account, unless it changed since `user` was read: every access token and mailed link of
 * it ends, and every session but `session`. Answers whether it was set.
 */
export async function updatePassword(
  db: D1Database,
  user: User,
  passwordHash: string,
  session: string | undefined,
  now: number,
): Promise<boolean> {
  const entry = { at: now, actor: user.id, account: user.id, act: 'password.changed' } as const
  const set = 'EXISTS (SELECT 1 FROM users WHERE id = ?1 AND password_hash = ?2)'
  const [updated] = await db.batch([
    db
      .prepare(
        `UPDATE users SET password_hash = ?, token_epoch = token_epoch + 1
         WHERE id = ? AND status = 1 AND token_epoch = ?`,
      )
      .bind(passwordHash, user.id, user.tokenEpoch),
    insertAuditStatement(db, entry, { ifChanged: true }),
    insertNoticeMailStatement(db, 'password', { userId: user.id }, now, { ifChanged: true }),
    db
      .prepare(`DELETE FROM sessions WHERE user_id = ?1 AND jti <> ?3 AND ${set}`)
      .bind(user.id, passwordHash, session ?? ''),
    db.prepare(`DELETE FROM mail_links WHERE user_id = ?1 AND ${set}`).bind(user.id, passwordHash),
  ])
  return updated?.meta.changes === 1
}

/** In SQL, whether the account with this id (SQL as well) is closed. */
export function isClosed(id: string): string {
  return `(SELECT status FROM users WHERE id = ${id}) = ${USER_STATUS.closed}`
}

/** What ends with an account. */
const ENDING = ['sessions', 'api_keys', 'passkeys', 'mail_links']

/**
 * The statements that close an active account and end its tokens, keys, passkeys and links, unless it changed since `user` was read:
 * the first changes a row then.
 */
export function closeUserStatements(db: D1Database, user: User, now: number): D1PreparedStatement[] {
  const entry = { at: now, actor: user.id, account: user.id, act: 'account.closed' } as const
  return [
    db
      .prepare(
        `UPDATE users SET status = 0, token_epoch = token_epoch + 1 WHERE id = ? AND status = 1 AND token_epoch = ?`,
      )
      .bind(user.id, user.tokenEpoch),
    insertAuditStatement(db, entry, { ifChanged: true }),
    ...ENDING.map((table) => db.prepare(`DELETE FROM ${table} WHERE user_id = ?1 AND ${isClosed('?1')}`).bind(user.id)),
  ]
}

/** The statement that fails its batch when an account was closed. */
export function assertNotClosedStatement(db: D1Database, id: string): D1PreparedStatement {
  return assertionStatement(db, 'NOT EXISTS (SELECT 1 FROM users WHERE id = ? AND status = 0)', id)
}

/** Activates an account that waits for its identity check, confirmed by `actor`; false when it does not wait for one. */
export async function confirmIdentity(db: D1Database, id: string, actor: string, now: number): Promise<boolean> {
  const [updated] = await db.batch([
    db.prepare('UPDATE users SET status = 1 WHERE id = ? AND status = 3').bind(id),
    insertAuditStatement(db, { at: now, actor, account: id, act: 'identity.confirmed' }, { ifChanged: true }),
  ])
  return updated?.meta.changes === 1
}

/** A page of accounts of these statuses, oldest first, after `after`. */
export async function selectUsers(
  db: D1Database,
  filter: { statuses: readonly number[]; after: { createdAt: number; id: string } | undefined; most: number },
): Promise<User[]> {
  const { results } = await db
    .prepare(
      `SELECT * FROM users WHERE status IN (SELECT value FROM json_each(?1)) AND (created_at, id) > (?2, ?3)
       ORDER BY created_at, id LIMIT ?4`,
    )
    .bind(JSON.stringify(filter.statuses), filter.after?.createdAt ?? 0, filter.after?.id ?? '', filter.most)
    .all<Row<User>>()
  return results.map(toUser)
}

/** The email addresses of these accounts, by id; of some at a time, as a page has them. */
export async function selectEmails(db: D1Database, ids: readonly string[]): Promise<Map<string, string>> {
  const { results } = await db
    .prepare('SELECT id, email FROM users WHERE id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(ids))
    .all<{ id: string; email: string }>()
  return new Map(results.map(({ id, email }) => [id, email]))
}
