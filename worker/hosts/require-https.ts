import type { MiddlewareHandler } from 'hono'
import type { Config } from '../platform/config/config.ts'
import { configOrNothing, type RawSettings } from '../platform/config/read-config.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { AppError } from '../platform/http/errors.ts'
import { isProofOfHost } from './classify-host.ts'
import { clientUrl } from './client-url.ts'

type Transport = Pick<Config, 'baseUrl' | 'trustForwardedHost'>

/**
 * Whether the client used plain http for a service that has https, according to the header of Cloudflare or of the
 * operator's own proxy. The scheme of the request itself says nothing if a proxy terminates TLS.
 */
export function isPlainHttp({ headers }: Pick<Request, 'headers'>, config: Transport): boolean {
  if (config.baseUrl.protocol !== 'https:') return false
  if (headers.get('CF-Visitor')?.includes('"scheme":"http"')) return true
  return config.trustForwardedHost && headers.get('X-Forwarded-Proto')?.split(',')[0]?.trim() === 'http'
}

/** The same address by https. */
export function secureUrl(request: Request, config: Transport): string {
  const url = clientUrl(request, config)
  url.protocol = 'https:'
  return url.href
}

/**
 * Middleware that allows plain http only for proofs of host ownership: a GET can be repeated by https, and anything else
 * that was sent could be read on the network, so it must not work.
 * @throws {AppError} 403 `https_required`.
 */
export function requireHttps(): MiddlewareHandler<AppEnv> {
  return async function requireHttps(c, next) {
    const config = configOrNothing(c.env)
    if (!config || !isPlainHttp(c.req.raw, config) || isProofOfHost(c.req.path)) return await next()
    const { method } = c.req
    if (method === 'GET' || method === 'HEAD') return c.body(null, 308, { Location: secureUrl(c.req.raw, config) })
    throw new AppError(403, 'https_required', 'This service is reached by https only. Send the request there.')
  }
}

/**
 * Adds HSTS (RFC 6797) where the service is reached by https, for the host alone: other names below it may be anybody's.
 */
export function finishTransport(headers: Headers, env: RawSettings): void {
  if (configOrNothing(env)?.baseUrl.protocol !== 'https:') return
  headers.set('Strict-Transport-Security', 'max-age=31536000')
}
