import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { RATE_LIMITS, rateLimitPolicy } from '../http/rate-limits.ts'
import { keepWarm } from '../http/warm-answers.ts'

/**
 * Middleware, to be the outermost: `finish` adds to each answer, errors included, what every answer of a kind of host
 * carries, and to what the handler leaves to be kept in memory. `ok` is whether the status is a success. What was counted
 * says by which limit; an answer from memory is not counted.
 */
export function finishAnswers(
  finish: (headers: Headers, c: Context<AppEnv>, ok: boolean) => void,
): MiddlewareHandler<AppEnv> {
  return async function finishAnswers(c, next) {
    await next()
    finish(c.res.headers, c, c.res.ok)
    const limit = c.get('limit')
    if (limit) c.res.headers.append('RateLimit-Policy', rateLimitPolicy(limit, RATE_LIMITS[limit]))
    const warm = c.get('warm')
    if (!warm) return
    finish(warm.answer.init.headers, c, true)
    keepWarm(c.req.raw, c.env, warm)
  }
}
