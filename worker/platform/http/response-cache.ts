import type { CID } from 'multiformats/cid'
import { MemoryCache } from '../flow/memory-cache.ts'
import { acceptsBrotli } from './negotiate-encoding.ts'
import type { PreparedRepresentation } from './respond.ts'

/** An answer that can be given again to whoever sends the same request. */
export interface CachedResponse {
  answer: Omit<PreparedRepresentation, 'body'>
  /** Its bytes; `undefined` when they are no longer in memory. */
  read(): Uint8Array | undefined
  /** Memory that only this answer takes, in bytes. */
  bytes: number
  /** The body of the request that it answers, where there was one. */
  text?: string
  /** What it was made of, about which the denylist is asked. */
  txids?: readonly string[]
  cids?: readonly (CID | string)[]
  item?: string
  /** Where browsers that open the address as a page are sent instead. */
  place?: string
  site?: string
  /** Whether what the answer was found by still stands; without it, nothing can change. `now` is in ms since 1970. */
  holds?(now: number): boolean
}

/** A kept answer, as long as the memory lasts. */
export interface CacheEntry extends CachedResponse {
  /** The settings that it was made under. */
  env: object
  /** The version of the denylist that the answer was last held against. */
  allowedBy: number | undefined
}

/** Paths of the API: of these retrieval alone is answered from memory, of other paths any may be. */
const API = /^https?:\/\/[^/]+\/v0(?:[/?]|$)/
const RETRIEVAL = /^https?:\/\/[^/]+\/v0\/(?:blob|web|tx|chunk|content)(?:[/?]|$)/

const cache = new MemoryCache<CacheEntry>(4 << 20)

/** Whether a request by this method to this URL may be answered from memory. */
export function canBeCached(method: string, url: string): boolean {
  if (method === 'POST') return RETRIEVAL.test(url)
  return (method === 'GET' || method === 'HEAD') && (!API.test(url) || RETRIEVAL.test(url))
}

/** The answer that was stored for this request under the same settings; `text` is the request's body, if any. */
export function findCachedResponse(request: Request, env: object, text: string): CacheEntry | undefined {
  const key = responseCacheKey(request, text)
  const known = cache.get(key) ?? (takesEncoded(request) ? cache.get(`br ${key}`) : cache.get(`raw ${key}`))
  return known?.env === env ? known : undefined
}

/** Has every request be answered again. */
export function clearResponseCache(): void {
  cache.clear()
}

/** Stores an answer to this request, with the headers that it is sent with. */
export function cacheResponse(request: Request, env: object, kept: CachedResponse): void {
  if (!canBeCached(request.method, request.url)) return
  const { init, tags, ranges } = kept.answer
  const negotiated = /accept-encoding/i.test(init.headers.get('Vary') ?? '')
  const form = negotiated ? (takesEncoded(request) ? 'br ' : 'raw ') : ''
  const key = form + responseCacheKey(request, kept.text ?? '')
  const size = kept.bytes + 66 * (kept.txids?.length ?? 0) + 100 * (kept.cids?.length ?? 0) + 1024
  cache.set(key, { ...kept, answer: { init, tags, ranges }, env, allowedBy: undefined }, size)
}

/** Whether the client gets Brotli of what comes in both forms: a range is of the content as it is. */
function takesEncoded(request: Request): boolean {
  return (request.method === 'POST' || !request.headers.has('Range')) && acceptsBrotli(request)
}

/**
 * Everything of a request that its answer depends on, but for its encoding and for what `respond` looks at: the host
 * among it, since the URL is whole, whether a part is requested, and beyond the API also `Accept`, the scheme that a proxy
 * says, and who asks for a service worker.
 */
function responseCacheKey({ method, url, headers }: Request, text: string): string {
  const host = headers.get('X-Forwarded-Host') ?? ''
  if (method === 'POST') return `POST ${host} ${url} ${text}`
  const kind = headers.has('Range') ? 'part' : 'GET'
  if (API.test(url)) return `${kind} ${host} ${url}`
  const [accept, visitor, worker] = [headers.get('Accept'), headers.get('CF-Visitor'), headers.get('Service-Worker')]
  return `${kind} ${host} ${url} ${accept ?? ''} ${visitor ?? ''} ${worker ?? ''}`
}
