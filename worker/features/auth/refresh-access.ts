import type { RenewedTokens } from '../../../contract/account.ts'
import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { issueToken, newTokenId } from './issue-token.ts'
import { useRefreshToken } from './use-refresh-token.ts'

/**
 * A new access token for a live refresh token, or nothing for any other. With a refresh token, of the same session until the
 * same time, where it was requested, or the token given was signed by another key. `now` in milliseconds.
 */
export async function refreshAccess(
  db: D1Database,
  config: Config,
  given: { token: string; rotate: boolean },
  now: number,
): Promise<RenewedTokens | undefined> {
  const used = await useRefreshToken(db, config, given, now)
  if (!used) return undefined
  const { user, claims, session, replacement } = used
  const access = { jti: newTokenId(), iat: unixSeconds(now), lifetime: LIFETIMES.access, authTime: claims.auth_time }
  const accessToken = await issueToken('access', user, { ...access, session }, config)
  return replacement === undefined ? { accessToken } : { accessToken, refreshToken: replacement }
}
