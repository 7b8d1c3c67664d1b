import type { Config } from '../config/config.ts'
import { selectSessionUser } from '../storage/accounts/sessions.ts'
import { issueToken, newTokenId } from './issue-token.ts'
import { LIFETIME } from './token-claims.ts'
import { verifyToken } from './verify-token.ts'

/** A new access token for a live refresh token, or nothing for any other. `now` in milliseconds. */
export async function refreshAccess(
  db: D1Database,
  config: Config,
  refreshToken: string,
  now: number,
): Promise<string | undefined> {
  const iat = Math.floor(now / 1000)
  const verdict = await verifyToken(refreshToken, 'refresh', config, iat)
  if (!verdict.valid) return undefined
  const user = await selectSessionUser(db, verdict.claims.jti, now)
  if (!user) return undefined
  const { jti: session, auth_time: authTime } = verdict.claims
  const token = { jti: newTokenId(), iat, lifetime: LIFETIME.access, authTime, session }
  return await issueToken('access', user, token, config)
}
