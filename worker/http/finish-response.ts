import type { Config } from '../config/config.ts'

/** Paths that any page may read: retrieval, the hook and its parts, the descriptions of the API. */
const PUBLIC = /^\/(?:v0\/(?:blob|web|tx|chunk|content|health|openapi\.json)(?:\/|$)|hook[./]|frame$|docs$)/

/** The IPFS gateway, whose specification has each answer say what a preflight says, and leaves some without caching. */
const GATEWAY = /^\/ip[fn]s(?:\/|$)/

const EXPOSED =
  'Content-Length, Content-Range, ETag, Server-Timing, Ipfs-Uri, X-Ipfs-Path, X-Ipfs-Roots, X-Chunked-Output, X-Stream-Output, Retry-After'
const ALLOWED = 'Authorization, Content-Type, Content-Digest, If-None-Match, Range, User-Agent, X-Requested-With'

/** CORS of the gateway (Path Gateway specification), also on hosts that serve nothing else. */
export const GATEWAY_CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, If-None-Match, Range, User-Agent, X-Requested-With',
  'Access-Control-Expose-Headers': EXPOSED,
}

/** The CORS headers of an answer at `path` for a page of `origin`. */
export function corsHeaders(path: string, origin: string | null, config: Pick<Config, 'consoleOrigins'>) {
  if (GATEWAY.test(path)) return GATEWAY_CORS
  if (PUBLIC.test(path)) {
    return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED }
  }
  const headers: Record<string, string> = { Vary: 'Origin' }
  if (origin !== null && config.consoleOrigins.includes(origin)) {
    headers['Access-Control-Allow-Origin'] = origin
    headers['Access-Control-Expose-Headers'] = 'Allow, Location, Retry-After, WWW-Authenticate'
  }
  return headers
}

/** The answer to OPTIONS at `path`. */
export function answerPreflight(path: string, origin: string | null, config: Pick<Config, 'consoleOrigins'>): Response {
  const headers = new Headers(corsHeaders(path, origin, config))
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('Access-Control-Max-Age', '86400')
  if (headers.has('Access-Control-Allow-Origin') && !GATEWAY.test(path)) {
    const methods = PUBLIC.test(path) ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
    headers.set('Access-Control-Allow-Methods', methods)
    headers.set('Access-Control-Allow-Headers', ALLOWED)
  }
  return new Response(null, { status: 204, headers })
}

/** Adds what every answer of the API host and the storage apex carries; the one place that does. */
export function finishResponse(
  response: Response,
  path: string,
  origin: string | null,
  config: Pick<Config, 'consoleOrigins'>,
): Response {
  const { headers } = response
  headers.set('X-Content-Type-Options', 'nosniff')
  const uncached = !GATEWAY.test(path) || !response.ok
  if (uncached && !headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
  for (const [name, value] of Object.entries(corsHeaders(path, origin, config))) {
    if (name === 'Vary') headers.append(name, value)
    else headers.set(name, value)
  }
  return response
}
