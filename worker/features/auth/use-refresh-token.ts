import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { unavailable } from '../../platform/http/errors.ts'
import { issueToken, newTokenId } from './issue-token.ts'
import { decideRotation } from './rotation.ts'
import { endReusedSession, selectLiveSession, updateRotation } from './sql/sessions.ts'
import type { User } from './sql/users.ts'
import { sessionOf, type TokenClaims } from './token-claims.ts'
import { verifyToken } from './verify-token.ts'

/** A refresh token that was good. */
export interface UsedToken {
  user: User
  claims: TokenClaims
  /** Names its session. */
  session: string
  /** The refresh token in its place: where the caller wants one, or today's key would sign another. */
  replacement: string | undefined
}

/** Requests with one token change its session one after another; so often one of them tries. */
const MOST_TRIES = 5

/**
 * The session of a refresh token, or nothing where it is not live. With `rotate` it is replaced. The use of one that
 * was replaced, after the time for late requests, ends the session, and a mail says so. `now` in milliseconds.
 */
export async function useRefreshToken(
  db: D1Database,
  config: Config,
  given: { token: string; rotate: boolean },
  now: number,
): Promise<UsedToken | undefined> {
  const verdict = await verifyToken(given.token, 'refresh', config, unixSeconds(now))
  if (!verdict.valid) return undefined
  const { claims, outdated } = verdict
  const session = sessionOf(claims)
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    const found = await selectLiveSession(db, session, now)
    if (!found) return undefined
    const used = { generation: claims.generation ?? 0, rotate: given.rotate }
    const outcome = decideRotation(found.rotation, used, now)
    if (outcome.kind === 'unknown') return undefined
    if (outcome.kind === 'reused') {
      await endReusedSession(db, session, found.user.id, now)
      return undefined
    }
    if (!(await updateRotation(db, session, found.rotation, outcome.next))) continue
    const generation = outcome.issue ?? (outdated ? used.generation : undefined)
    const replacement =
      generation === undefined ? undefined : await reissue(config, found.user, claims, generation, unixSeconds(now))
    return { user: found.user, claims, session, replacement }
  }
  throw unavailable('busy', 'This session is being used by many requests at once. Try again in a second.', {
    retryAfter: 1,
  })
}

/** A refresh token of the same session, good until the same time. */
async function reissue(
  config: Config,
  user: User,
  claims: TokenClaims,
  generation: number,
  iat: number,
): Promise<string> {
  const token = { iat, lifetime: claims.exp - iat, authTime: claims.auth_time }
  const session = sessionOf(claims)
  // A token that was never replaced has the name of its session.
  if (generation === 0) return await issueToken('refresh', user, { ...token, jti: session }, config)
  return await issueToken('refresh', user, { ...token, jti: newTokenId(), session, generation }, config)
}
