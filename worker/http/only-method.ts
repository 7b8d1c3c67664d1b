import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './app-env.ts'
import { AppError } from './errors.ts'

/** Lets only GET or only HEAD through, which Hono hands to the same route. @throws {AppError} 405 for the other. */
export function onlyMethod(method: 'GET' | 'HEAD', hint = ''): MiddlewareHandler<AppEnv> {
  return async function onlyMethod(c, next) {
    if (c.req.method !== method) {
      throw new AppError(405, 'method_not_allowed', `This path answers ${method}.${hint}`, {
        headers: { Allow: method },
      })
    }
    await next()
  }
}
