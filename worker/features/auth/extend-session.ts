import { inWords, LIFETIMES } from '../../../contract/lifetimes.ts'
import { MAX_LONG_SESSIONS } from '../../../contract/limits.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import type { Caller } from './find-caller.ts'
import { issueToken, newTokenId } from './issue-token.ts'
import { isRecentLogin } from './require-recent-login.ts'
import { insertSessionBeside, selectLiveSession } from './sql/sessions.ts'
import { useRefreshToken } from './use-refresh-token.ts'
import { verifyToken } from './verify-token.ts'

/**
 * A refresh token of `lifetime` seconds beside a live one of the same user: a session of its own, which counts as
 * begun at the same login. `now` in milliseconds.
 * @throws {AppError} 400.
 */
export async function extendSession(
  db: D1Database,
  config: Config,
  given: { caller: Pick<Caller, 'userId' | 'authTime'>; refreshToken: string; lifetime: number },
  now: number,
): Promise<string> {
  const failed = () => generationFailed('generation_failed', '"token" is not a live refresh token of yours.')
  const iat = unixSeconds(now)
  const verdict = await verifyToken(given.refreshToken, 'refresh', config, iat)
  if (!verdict.valid || verdict.claims.sub !== given.caller.userId) throw failed()
  const { auth_time: authTime } = verdict.claims
  const left = authTime + LIFETIMES.sinceLogin - iat
  if (given.lifetime > left) {
    throw invalidField(
      'exp',
      `must not pass ${inWords(LIFETIMES.sinceLogin)} after the login: ${Math.max(left, 0)} seconds from now.`,
    )
  }
  if (given.lifetime > LIFETIMES.longRefresh && !isRecentLogin(given.caller, iat)) {
    const reason = `more than ${inWords(LIFETIMES.longRefresh)} need a login within the last ${inWords(LIFETIMES.recentLogin)}. Log in again.`
    throw generationFailed('login_too_old', reason)
  }
  const used = await useRefreshToken(db, config, { token: given.refreshToken, rotate: false }, now)
  if (!used) throw failed()
  const { user, session: parent } = used
  const jti = newTokenId()
  const session = { jti, userId: user.id, createdAt: now, expiresAt: (iat + given.lifetime) * 1000 }
  const limit = { longAfter: LIFETIMES.refresh * 1000, mostLong: MAX_LONG_SESSIONS }
  if (!(await insertSessionBeside(db, parent, session, limit))) {
    if (!(await selectLiveSession(db, parent, now))) throw failed()
    const reason = `you have ${MAX_LONG_SESSIONS} long-lived ones. Revoke one first.`
    throw generationFailed('too_many_sessions', reason)
  }
  return await issueToken('refresh', user, { jti, iat, lifetime: given.lifetime, authTime }, config)
}

/** docs/behaviour/tokens.md has one status for every reason. */
function generationFailed(code: 'generation_failed' | 'login_too_old' | 'too_many_sessions', reason: string): AppError {
  return new AppError(400, code, `Generation of the refresh token failed: ${reason}`)
}
