import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { deleteSession } from './sql/sessions.ts'
import { sessionOf } from './token-claims.ts'
import { verifyToken } from './verify-token.ts'

/** Ends the session of a refresh token, whosever it is; nothing for a token that is none. `now` in milliseconds. */
export async function endSession(db: D1Database, config: Config, refreshToken: string, now: number): Promise<void> {
  const verdict = await verifyToken(refreshToken, 'refresh', config, unixSeconds(now))
  if (verdict.valid) await deleteSession(db, sessionOf(verdict.claims), verdict.claims.sub, now)
}
