import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { deleteSession } from './sql/sessions.ts'
import { sessionOf } from './token-claims.ts'
import { verifyToken } from './verify-token.ts'

/**
 * Ends the session of a refresh token: that of `userId` alone, where one is named. `now` in milliseconds.
 * @returns whether it lived.
 */
export async function endSession(
  db: D1Database,
  config: Config,
  refreshToken: string,
  now: number,
  userId?: string,
): Promise<boolean> {
  const verdict = await verifyToken(refreshToken, 'refresh', config, unixSeconds(now))
  return verdict.valid && (await deleteSession(db, sessionOf(verdict.claims), userId ?? verdict.claims.sub, now))
}
