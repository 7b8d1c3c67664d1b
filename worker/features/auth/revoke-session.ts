import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'
import { deleteSession } from './sql/sessions.ts'
import { sessionOf } from './token-claims.ts'
import { verifyToken } from './verify-token.ts'

/** Ends the session of a refresh token of this user. `now` in milliseconds. @throws {AppError} 400. */
export async function revokeSession(
  db: D1Database,
  config: Config,
  given: { userId: string; refreshToken: string },
  now: number,
): Promise<void> {
  const verdict = await verifyToken(given.refreshToken, 'refresh', config, unixSeconds(now))
  if (!verdict.valid || !(await deleteSession(db, sessionOf(verdict.claims), given.userId, now))) {
    throw new AppError(400, 'revocation_failed', 'Revocation failed: "token" is not a live refresh token of yours.')
  }
}
