import type { MiddlewareHandler } from 'hono'
import type { Config } from '../platform/config/config.ts'
import type { AppEnv } from '../platform/http/app-env.ts'
import { NO_STORE, SANDBOX } from '../platform/http/policies.ts'
import { clientUrl } from './client-url.ts'

/**
 * The address on the storage host of untrusted content that the API host has at `url`; `undefined` if there is none. If
 * browsers warn of such content, they then warn of the storage host and not of the API. `path` is the decoded path that is
 * routed: `/v0/%77eb/…` is the same page.
 */
export function placeOfPage(
  { pathname, search }: Pick<URL, 'pathname' | 'search'>,
  path: string,
  config: Pick<Config, 'baseUrl' | 'storageHost'>,
): string | undefined {
  const at = (host: string, path: string) => `${config.baseUrl.protocol}//${host}${path}${search}`
  const apex = config.storageHost
  // Of a service whose storage host is the API's own, only items have a host to go to.
  if (apex !== config.baseUrl.host && /^\/ip[fn]s\//.test(pathname)) return at(apex, pathname)
  if (apex !== config.baseUrl.host && path.startsWith('/v0/web/')) {
    // The path below a website remains as the client wrote it.
    return at(apex, (pathname.startsWith('/v0/web/') ? pathname : path).slice('/v0'.length))
  }
  const [, id, below = '/'] = /^\/v0\/content\/([0-9a-f]{24})(\/.*)?$/.exec(path) ?? []
  return id && at(`${id}.${apex}`, /^\/v0\/content\/[^/]+(\/.*)$/.exec(pathname)?.[1] ?? below)
}

const MODE = 'Sec-Fetch-Mode'

/** Whether a browser opens the address as a page (Fetch Metadata, `Sec-Fetch-Mode`). */
export function isNavigation({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  return method === 'GET' && headers.get(MODE) === 'navigate'
}

/** Middleware of the API host: navigations to untrusted pages are redirected to their own host, other requests are not. */
export function redirectNavigations(): MiddlewareHandler<AppEnv> {
  return async function redirectNavigations(c, next) {
    const { path } = c.req
    const config = c.get('config')
    const location = isRetrieval(path) ? placeOfPage(clientUrl(c.req.raw, config), path, config) : undefined
    if (location === undefined) return await next()
    const navigation = isNavigation(c.req.raw)
    // A 304 would have the browser show, on this host, what it read by other means.
    if (navigation) c.req.raw = withoutConditions(c.req.raw)
    await next()
    const cacheable = c.get('cacheable')
    if (!isPageOfStrangers(c.res, cacheable?.answer.init.headers)) return
    if (cacheable) {
      cacheable.answer.init.headers.append('Vary', MODE)
      c.set('cacheable', { ...cacheable, place: location })
    }
    // Without it, a cache would return the page that a script requested to a browser that navigates to it.
    c.res.headers.append('Vary', MODE)
    if (!navigation) return
    await c.res.body?.cancel()
    // Hono would carry the headers of the answer before over.
    c.res = undefined
    const headers = { Location: location, 'Cache-Control': NO_STORE, Vary: MODE }
    c.res = new Response(null, { status: 302, headers })
  }
}

function isRetrieval(path: string): boolean {
  return /^\/(?:ip[fn]s|v0\/(?:web|content))\//.test(path)
}

/** What browsers show as a page: HTML, and XML of every kind (MIME Sniffing, 4.6), which may hold HTML; SVG among it. */
const PAGE = /^(?:text\/html|(?:text|application)\/xml|text\/xsl|[^;\s]+\+xml)\s*(?:;|$)/i

/**
 * Whether an answer is a page of strangers, or says that a client has one: what a 304 is of is in `whole`, the headers of
 * the answer as a whole, and may be a page where nothing was stored in memory.
 */
function isPageOfStrangers({ status, headers }: Response, whole = headers): boolean {
  if (headers.get('Content-Security-Policy') !== SANDBOX) return false
  const type = whole.get('Content-Type')
  return type === null ? status === 304 : PAGE.test(type)
}

function withoutConditions(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.delete('If-None-Match')
  return new Request(request, { headers, ...(request.cf ? { cf: request.cf } : {}) })
}
