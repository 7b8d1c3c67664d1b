import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import { issueToken, newTokenId } from './issue-token.ts'
import { insertSessionBeside, selectSessionUser } from './sql/sessions.ts'
import { LIFETIME, MAX_SINCE_LOGIN } from './token-claims.ts'
import { verifyToken } from './verify-token.ts'

/** Live sessions of one user that outlive an ordinary one. */
const MAX_LONG_SESSIONS = 20

/**
 * A refresh token of `lifetime` seconds beside a live one of the same user: a session of its own, which counts as
 * begun at the same login. `now` in milliseconds.
 * @throws {AppError} 400.
 */
export async function extendSession(
  db: D1Database,
  config: Config,
  given: { userId: string; refreshToken: string; lifetime: number },
  now: number,
): Promise<string> {
  const failed = () => generationFailed('generation_failed', '"token" is not a live refresh token of yours.')
  const iat = unixSeconds(now)
  const verdict = await verifyToken(given.refreshToken, 'refresh', config, iat)
  if (!verdict.valid || verdict.claims.sub !== given.userId) throw failed()
  const { jti: parent, auth_time: authTime } = verdict.claims
  const left = authTime + MAX_SINCE_LOGIN - iat
  if (given.lifetime > left) {
    throw invalidField('exp', `must not pass 366 days after the login: ${Math.max(left, 0)} seconds from now.`)
  }
  const user = await selectSessionUser(db, parent, now)
  if (!user) throw failed()
  const jti = newTokenId()
  const session = { jti, userId: user.id, createdAt: now, expiresAt: (iat + given.lifetime) * 1000 }
  const limit = { longAfter: LIFETIME.refresh * 1000, mostLong: MAX_LONG_SESSIONS }
  if (!(await insertSessionBeside(db, parent, session, limit))) {
    if (!(await selectSessionUser(db, parent, now))) throw failed()
    const reason = `you have ${MAX_LONG_SESSIONS} long-lived ones. Revoke one first.`
    throw generationFailed('too_many_sessions', reason)
  }
  return await issueToken('refresh', user, { jti, iat, lifetime: given.lifetime, authTime }, config)
}

/** docs/behaviour.md, section 5, has one status for every reason. */
function generationFailed(code: 'generation_failed' | 'too_many_sessions', reason: string): AppError {
  return new AppError(400, code, `Generation of the refresh token failed: ${reason}`)
}
