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

/** A content coding (RFC 9110, 8.4.1); `identity` is none. */
export type Coding = 'br' | 'gzip' | 'identity'

/** What a header asks for: the best coding, and whether content without one is refused. */
interface Preference {
  best: Coding
  refusesIdentity: boolean
}

/** Results by header text: few texts differ, and parsing one allocates a dozen objects. */
const negotiated = new MemoryCache<Preference>(1 << 10)

function preferenceOf(request: Request): Preference {
  const header = clientAcceptEncoding(request)
  if (header === undefined) return { best: 'identity', refusesIdentity: false }
  const known = negotiated.get(header)
  if (known) return known
  const preference = readPreference(header)
  negotiated.set(header, preference, 0)
  return preference
}

/**
 * What an `Accept-Encoding` prefers (RFC 9110, 12.5.3): of equal q-values Brotli before gzip, and both before `identity`
 * where that has none of its own. `*` is taken for Brotli alone.
 */
export function readPreference(header: string): Preference {
  const weights = weightsOf(header)
  const [br, gzip] = [weights.get('br') ?? weights.get('*') ?? 0, weights.get('gzip') ?? 0]
  const coding = gzip > br ? 'gzip' : 'br'
  const chosen = Math.max(br, gzip) > 0 && Math.max(br, gzip) >= (weights.get('identity') ?? 0)
  return { best: chosen ? coding : 'identity', refusesIdentity: (weights.get('identity') ?? weights.get('*')) === 0 }
}

/** Whether the client accepts Brotli. */
export function acceptsBrotli(request: Request): boolean {
  return acceptsEncoding(clientAcceptEncoding(request), 'br')
}

/**
 * The coding that content is sent in where it has several. A range is of the content itself, so it has none, unless the
 * client refuses that: then its range is ignored.
 */
export function chooseCoding(request: Request): Coding {
  const { best, refusesIdentity } = preferenceOf(request)
  const partial = request.method !== 'POST' && request.headers.has('Range')
  return partial && !refusesIdentity ? 'identity' : best
}

/**
 * Whether a client accepts `coding` (RFC 9110, 12.5.3): its own q-value goes before that of `*`, and zero means no.
 * Without the header it is false, because such a client may not decode at all.
 */
export function acceptsEncoding(header: string | undefined, coding: string): boolean {
  const weights = weightsOf(header ?? '')
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0
}

function weightsOf(header: string): Map<string, number> {
  return new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]))
}
