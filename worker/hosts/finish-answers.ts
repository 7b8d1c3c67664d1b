import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../platform/http/app-env.ts'
import { COUNTED_LIMITS, RATE_LIMITS, rateLimitLeft, rateLimitPolicy } from '../platform/http/rate-limits.ts'
import { cacheResponse } from '../platform/http/response-cache.ts'

/**
 * Middleware, to be the outermost: `finish` adds to each answer, errors included, what every answer of a kind of host
 * carries, and to what the handler leaves to be stored in memory. `ok` is whether the status is a success. What was counted
 * says by which limits, and how much is left where the database counts; an answer from memory is not counted.
 */
export function finishAnswers(
  finish: (headers: Headers, c: Context<AppEnv>, ok: boolean) => void,
): MiddlewareHandler<AppEnv> {
  return async function finishAnswers(c, next) {
    c.set('counted', [])
    await next()
    finish(c.res.headers, c, c.res.ok)
    const limit = c.get('limit')
    if (limit) c.res.headers.append('RateLimit-Policy', rateLimitPolicy(limit, RATE_LIMITS[limit]))
    for (const { name, left } of c.get('counted')) {
      c.res.headers.append('RateLimit-Policy', rateLimitPolicy(name, COUNTED_LIMITS[name]))
      c.res.headers.append('RateLimit', rateLimitLeft(name, left, COUNTED_LIMITS[name].seconds))
    }
    const cacheable = c.get('cacheable')
    if (!cacheable) return
    finish(cacheable.answer.init.headers, c, true)
    cacheResponse(c.req.raw, c.env, cacheable)
  }
}
