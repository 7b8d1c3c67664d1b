import type { Hono, MiddlewareHandler } from 'hono'
import type { AppEnv } from './app-env.ts'
import { AppError } from './errors.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Handlers of routes that answer only one of GET and HEAD, which Hono sends to the same route. */
const lone = new WeakMap<object, 'GET' | 'HEAD'>()

/** Middleware that accepts only GET or only HEAD. @throws {AppError} 405 for the other, its message ending in `hint`. */
export function onlyMethod(method: 'GET' | 'HEAD', hint = ''): MiddlewareHandler {
  const handler: MiddlewareHandler = async function onlyMethod(c, next) {
    if (c.req.method !== method) throw methodNotAllowed([method], hint)
    await next()
  }
  lone.set(handler, method)
  return handler
}

/**
 * The methods of the routes that match `path` most specifically; a route of GET answers HEAD too. For `/v0/item/counts`
 * these are the routes with that path, and not those of `/v0/item/:id`, which would answer 404.
 */
export function allowedMethods(app: Hono<AppEnv>, path: string): string[] {
  const found = METHODS.map((method) => ({
    method,
    // Middleware is registered for every method, and so is no sign that the path exists.
    handlers: app.router.match(method, path)[0].filter(([[, route]]) => route.method !== 'ALL'),
  }))
  const free = (route: string) => route.split('/').filter((segment) => /[:*]/.test(segment)).length
  const least = Math.min(...found.flatMap(({ handlers }) => handlers.map(([[, route]]) => free(route.path))))
  return found.flatMap(({ method, handlers: all }) => {
    const handlers = all.filter(([[, route]]) => free(route.path) === least)
    if (handlers.length === 0) return []
    if (method !== 'GET') return [method]
    const only = handlers.map(([[handler]]) => lone.get(handler)).find((name) => name !== undefined)
    return only === undefined ? ['GET', 'HEAD'] : [only]
  })
}

/** 405 with `Allow` (RFC 9110, 15.5.6). */
export function methodNotAllowed(methods: readonly string[], hint = ''): AppError {
  const headers = { Allow: methods.join(', ') }
  return new AppError(405, 'method_not_allowed', `This path answers ${headers.Allow}.${hint}`, { headers })
}
