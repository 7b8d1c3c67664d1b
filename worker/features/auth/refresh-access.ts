import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { issueToken, newTokenId } from './issue-token.ts'
import { selectSessionUser } from './sql/sessions.ts'
import { LIFETIME } from './token-claims.ts'
import { verifyToken } from './verify-token.ts'

/** What a refresh token is exchanged for. */
export interface Refreshed {
  accessToken: string
  /** The same session, until the same time, signed by today's key; only where the token given was signed by another. */
  refreshToken?: string
}

/** A new access token for a live refresh token, or nothing for any other. `now` in milliseconds. */
export async function refreshAccess(
  db: D1Database,
  config: Config,
  refreshToken: string,
  now: number,
): Promise<Refreshed | undefined> {
  const iat = unixSeconds(now)
  const verdict = await verifyToken(refreshToken, 'refresh', config, iat)
  if (!verdict.valid) return undefined
  const { jti, exp, auth_time: authTime } = verdict.claims
  const user = await selectSessionUser(db, jti, now)
  if (!user) return undefined
  const token = { jti: newTokenId(), iat, lifetime: LIFETIME.access, authTime, session: jti }
  const accessToken = await issueToken('access', user, token, config)
  if (!verdict.outdated) return { accessToken }
  return {
    accessToken,
    refreshToken: await issueToken('refresh', user, { jti, iat, lifetime: exp - iat, authTime }, config),
  }
}
