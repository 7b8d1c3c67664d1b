import { MAX_SESSIONS } from '../../../../contract/limits.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import type { Rotation } from '../rotation.ts'
import type { SignInOrigin } from '../sign-in-origin.ts'
import { insertNoticeMailStatement } from './notice-mails.ts'
import { toUser, type User } from './users.ts'

/** A live refresh token; times in milliseconds. */
export interface Session {
  jti: string
  userId: string
  createdAt: number
  expiresAt: number
  device: string | undefined
  country: string | undefined
}

/** A session about to be written; where it was begun may not be known. */
export type NewSession = Omit<Session, keyof SignInOrigin> & Partial<SignInOrigin>

/**
 * Writes the session of a login, unless the account changed since `user` was read; beyond what an account may have, those
 * that end first are deleted. Answers whether it was written.
 */
export async function insertSession(db: D1Database, session: NewSession, user: User): Promise<boolean> {
  const { jti, userId, createdAt, expiresAt, device = null, country = null } = session
  const entry = { at: createdAt, actor: userId, account: userId, act: 'login.made', subject: `session:${jti}` } as const
  const [inserted] = await db.batch([
    db
      .prepare(
        `INSERT INTO sessions (jti, user_id, created_at, expires_at, device, country)
         SELECT ?1, id, ?2, ?3, ?6, ?7 FROM users WHERE id = ?4 AND status = 1 AND token_epoch = ?5`,
      )
      .bind(jti, createdAt, expiresAt, userId, user.tokenEpoch, device, country),
    insertAuditStatement(db, entry, { ifChanged: true }),
    db
      .prepare(
        `DELETE FROM sessions WHERE jti IN (
           SELECT jti FROM sessions WHERE user_id = ? ORDER BY expires_at DESC LIMIT -1 OFFSET ${MAX_SESSIONS})`,
      )
      .bind(userId),
  ])
  return inserted?.meta.changes === 1
}

/**
 * Writes a session next to `parent`, with its device and country, if that one still lives and the user has fewer than `mostLong`
 * sessions that live longer than `longAfter` milliseconds. One statement, so that a revocation is before or after it.
 */
export async function insertSessionBeside(
  db: D1Database,
  parent: string,
  session: NewSession,
  limit: { longAfter: number; mostLong: number },
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `INSERT INTO sessions (jti, user_id, created_at, expires_at, device, country)
       SELECT ?1, parent.user_id, ?2, ?3, parent.device, parent.country FROM sessions AS parent
       WHERE parent.jti = ?4 AND parent.user_id = ?5 AND parent.expires_at > ?2
         AND (?3 - ?2 <= ?6 OR ?7 > (
           SELECT COUNT(*) FROM sessions AS long
           WHERE long.user_id = ?5 AND long.expires_at > ?2 AND long.expires_at - long.created_at > ?6))`,
    )
    .bind(session.jti, session.createdAt, session.expiresAt, parent, session.userId, limit.longAfter, limit.mostLong)
    .run()
  return meta.changes === 1
}

/** Whose session this is, and which refresh token of it is the newest, if it lives. */
export async function selectLiveSession(
  db: D1Database,
  jti: string,
  now: number,
): Promise<{ user: User; rotation: Rotation } | undefined> {
  const row = await db
    .prepare(
      `SELECT users.*, sessions.generation, sessions.first_uses FROM sessions JOIN users ON users.id = sessions.user_id
       WHERE sessions.jti = ? AND sessions.expires_at > ? AND users.status = 1`,
    )
    .bind(jti, now)
    .first<Row<User> & { generation: number; first_uses: string }>()
  if (!row) return undefined
  const { generation, first_uses, ...user } = row
  return { user: toUser(user), rotation: { generation, firstUses: readFirstUses(first_uses) } }
}

function readFirstUses(json: string): Rotation['firstUses'] {
  const uses: unknown = JSON.parse(json)
  return Array.isArray(uses) ? uses.map(([generation, at]) => ({ generation: Number(generation), at: Number(at) })) : []
}

function writeFirstUses(uses: Rotation['firstUses']): string {
  return JSON.stringify(uses.map(({ generation, at }) => [generation, at]))
}

/** Writes which refresh token of a session is the newest, unless that changed since it was read. */
export async function updateRotation(db: D1Database, jti: string, from: Rotation, to: Rotation): Promise<boolean> {
  if (to === from) return true
  const { meta } = await db
    .prepare('UPDATE sessions SET generation = ?, first_uses = ? WHERE jti = ? AND generation = ? AND first_uses = ?')
    .bind(to.generation, writeFirstUses(to.firstUses), jti, from.generation, writeFirstUses(from.firstUses))
    .run()
  return meta.changes === 1
}

/** Ends a session of whose refresh tokens somebody has a copy, with a mail to its owner. `now` in milliseconds. */
export async function endReusedSession(db: D1Database, jti: string, userId: string, now: number): Promise<void> {
  const entry = { at: now, actor: 'service', account: userId, act: 'session.ended' } as const
  const reason = 'a refresh token was used that had been replaced'
  await db.batch([
    db.prepare('DELETE FROM sessions WHERE jti = ? AND user_id = ?').bind(jti, userId),
    insertAuditStatement(db, { ...entry, subject: `session:${jti}`, reason }, { ifChanged: true }),
    insertNoticeMailStatement(db, 'reused', { userId }, now, { ifChanged: true }),
  ])
}

const toSession = rowReader<Session>({})

/** The live sessions of a user, newest first. */
export async function selectSessions(db: D1Database, userId: string, now: number): Promise<Session[]> {
  const { results } = await db
    .prepare(
      `SELECT jti, user_id, created_at, expires_at, device, country FROM sessions WHERE user_id = ? AND expires_at > ?
       ORDER BY created_at DESC, jti`,
    )
    .bind(userId, now)
    .all<Row<Session>>()
  return results.map(toSession)
}

/** Revokes a live session of this user; false when there is none. */
export async function deleteSession(db: D1Database, jti: string, userId: string, now: number): Promise<boolean> {
  const entry = { at: now, actor: userId, account: userId, act: 'session.ended', subject: `session:${jti}` } as const
  const [deleted] = await db.batch([
    db.prepare('DELETE FROM sessions WHERE jti = ? AND user_id = ? AND expires_at > ?').bind(jti, userId, now),
    insertAuditStatement(db, entry, { ifChanged: true }),
  ])
  return deleted?.meta.changes === 1
}
