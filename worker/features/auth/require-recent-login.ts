import type { MiddlewareHandler } from 'hono'
import { inWords, LIFETIMES } from '../../../contract/lifetimes.ts'
import { nowSeconds } from '../../platform/clock.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { Caller } from './find-caller.ts'
import type { CallerEnv } from './require-token.ts'

/** Whether the caller logged in within the last ten minutes; false for an API key. `now` in seconds. */
export function isRecentLogin({ authTime }: Pick<Caller, 'authTime'>, now: number): boolean {
  return authTime !== undefined && authTime >= now - LIFETIMES.recentLogin
}

/**
 * Middleware that accepts a request only if the caller logged in within the last ten minutes (`auth_time` of the access
 * token). A token refresh does not change `auth_time`. Register it after `requireToken`.
 * @throws {AppError} 403 `login_again`.
 */
export function requireRecentLogin(): MiddlewareHandler<CallerEnv> {
  return async function requireRecentLogin(c, next) {
    if (!isRecentLogin(c.get('caller'), nowSeconds())) {
      throw new AppError(
        403,
        'login_again',
        `This needs a login within the last ${inWords(LIFETIMES.recentLogin)}. Log in again.`,
      )
    }
    await next()
  }
}
