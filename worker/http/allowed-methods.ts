import type { Hono } from 'hono'
import type { AppEnv } from './app-env.ts'

/** Registered as GET, where the router looks for HEAD, and refused as GET by its handler. */
const HEAD_ONLY = /^\/v0\/blob\/[^/]+$/
/** GET makes something there, which HEAD must not. */
const GET_ONLY = /^\/v0\/payment\/[^/]+$/

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The methods that some route answers at `path`, for `Allow` (RFC 9110, 15.5.6); HEAD goes where GET goes. */
export function allowedMethods(app: Hono<AppEnv>, path: string): string[] {
  return METHODS.filter((method) => {
    const [handlers] = app.router.match(method, path)
    // Middleware is registered for every method and says nothing of the path.
    return handlers.some(([[, route]]) => route.method !== 'ALL')
  }).flatMap((method) => {
    if (method !== 'GET') return [method]
    if (GET_ONLY.test(path)) return ['GET']
    return HEAD_ONLY.test(path) ? ['HEAD'] : ['GET', 'HEAD']
  })
}
