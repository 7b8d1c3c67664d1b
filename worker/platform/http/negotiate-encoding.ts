import { parseAccept } from 'hono/utils/accept'
import { MemoryCache } from '../flow/memory-cache.ts'

/**
 * The `Accept-Encoding` that the client itself sent. Cloudflare rewrites the header and passes the client's own in `cf`,
 * where an empty string means that it sent none.
 */
function clientAcceptEncoding(request: Request): string | undefined {
  const own = request.cf?.clientAcceptEncoding
  if (typeof own === 'string') return own === '' ? undefined : own
  return request.cf ? undefined : (request.headers.get('Accept-Encoding') ?? undefined)
}

/** Results by header text: few texts differ, and parsing one allocates a dozen objects. */
const negotiated = new MemoryCache<boolean>(1 << 10)

/** Whether the client accepts Brotli. */
export function acceptsBrotli(request: Request): boolean {
  const header = clientAcceptEncoding(request)
  if (header === undefined) return false
  const known = negotiated.get(header)
  if (known !== undefined) return known
  const accepted = acceptsEncoding(header, 'br')
  negotiated.set(header, accepted, 0)
  return accepted
}

/**
 * Whether a client accepts `coding` (RFC 9110, 12.5.3): its own q-value goes before that of `*`, and zero means no.
 * Without the header it is false, because such a client may not decode at all.
 */
export function acceptsEncoding(header: string | undefined, coding: string): boolean {
  const weights = new Map(parseAccept(header ?? '').map(({ type, q }) => [type.toLowerCase(), q]))
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0
}
