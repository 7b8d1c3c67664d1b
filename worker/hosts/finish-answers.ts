import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { keepWarm } from '../http/warm-answers.ts'

/**
 * Middleware, to be the outermost: `finish` adds to each answer, errors included, what every answer of a kind of host
 * carries, and to what the handler leaves to be kept in memory. `ok` is whether the status is a success.
 */
export function finishAnswers(
  finish: (headers: Headers, c: Context<AppEnv>, ok: boolean) => void,
): MiddlewareHandler<AppEnv> {
  return async function finishAnswers(c, next) {
    await next()
    finish(c.res.headers, c, c.res.ok)
    const warm = c.get('warm')
    if (!warm) return
    finish(warm.answer.init.headers, c, true)
    keepWarm(c.req.raw, c.env, warm)
  }
}
