import type { Config } from '../config/config.ts'

/** Paths that any page may read: retrieval, the source of an item, prices, the hook and its parts, the API descriptions. */
const PUBLIC =
  /^\/(?:v0\/(?:blob|web|tx|chunk|content|proof|health|openapi\.json|targets|estimate)(?:\/|$)|v0\/item\/[0-9a-f]{24}\/source$|hook[./]|frame$|docs$)/

/** What pages of other origins can read of content. Whether a reader asks for parts depends on its ranges and encoding. */
export const EXPOSED =
  'Accept-Ranges, Content-Encoding, Content-Length, Content-Range, ETag, Server-Timing, Ipfs-Uri, X-Ipfs-Path, X-Ipfs-Roots, X-Chunked-Output, X-Stream-Output, Retry-After'
const ALLOWED =
  'Authorization, Content-Type, Content-Digest, Hookline-Device, Hookline-Proof, Idempotency-Key, Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset, X-HTTP-Method-Override, If-None-Match, Range, User-Agent, X-Requested-With'
const EXPOSED_TO_CONSOLES =
  'Allow, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, Idempotent-Replayed, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Expires, Upload-Length, Upload-Offset'
const ALLOWED_TO_READERS = 'Content-Type, If-None-Match, Range, User-Agent, X-Requested-With'

/** How long (seconds) a browser may cache a preflight. */
const PREFLIGHT_AGE = '86400'

/** The CORS headers of the gateway, on all of its hosts: its specification requires those of a preflight on each answer. */
const GATEWAY_CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': ALLOWED_TO_READERS,
  'Access-Control-Expose-Headers': EXPOSED,
}

/** Whether a path is of the IPFS gateway. */
export function isGatewayPath(path: string): boolean {
  return /^\/ip[fn]s(?:\/|$)/.test(path)
}

/** The CORS headers of an answer at `path` of the API host for a page of `origin`. */
export function corsHeaders(
  path: string,
  origin: string | null,
  config: Pick<Config, 'consoleOrigins'>,
): Record<string, string> {
  if (isGatewayPath(path)) return GATEWAY_CORS
  if (PUBLIC.test(path)) {
    return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED }
  }
  if (origin === null || !config.consoleOrigins.includes(origin)) return { Vary: 'Origin' }
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_TO_CONSOLES,
  }
}

/**
 * The answer to OPTIONS at a path with these `methods` (RFC 9110, 9.3.7), with the headers of a preflight. Whether the
 * page is allowed is decided where {@link corsHeaders} are added. `more` are further headers of the path.
 */
export function answerOptions(methods: readonly string[], more: Record<string, string> = {}): Response {
  const allow = [...methods, 'OPTIONS'].join(', ')
  return new Response(null, {
    status: 204,
    headers: {
      Allow: allow,
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers': ALLOWED,
      'Access-Control-Max-Age': PREFLIGHT_AGE,
      ...more,
    },
  })
}

/** Whether a request is a CORS preflight (Fetch standard). */
export function isPreflight({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers.has('Origin') && headers.has('Access-Control-Request-Method')
}
