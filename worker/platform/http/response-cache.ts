import type { CID } from 'multiformats/cid'
import { MemoryCache } from '../flow/memory-cache.ts'
import { chooseCoding } from './negotiate-encoding.ts'
import { headersOfNotModified, type PreparedRepresentation } from './respond.ts'

/** An answer that can be sent again for the same request. */
export interface CachedResponse {
  answer: Omit<PreparedRepresentation, 'body'>
  /** Its body; `undefined` where that is not in memory any more. */
  read(): Uint8Array | undefined
  /** Memory that only this answer uses, in bytes. */
  bytes: number
  /** The body of its request, where there was one. */
  text?: string
  /** What it was made of, which the denylist is checked for. */
  txids?: readonly string[]
  cids?: readonly (CID | string)[]
  item?: string
  /** Where browsers that open the address as a page are redirected. */
  place?: string
  site?: string
  /** Whether the answer is still valid; without it, the answer cannot change. `now` in ms since 1970. */
  holds?(now: number): boolean
}

/** An entry of the response cache. */
export interface CacheEntry extends CachedResponse {
  /** The settings with which it was made. */
  env: object
  /** The version of the denylist that it was last checked against. */
  allowedBy: number | undefined
}

/** Paths of the API. Of these only retrieval is cached, of other paths any. */
const API = /^https?:\/\/[^/]+\/v0(?:[/?]|$)/
const RETRIEVAL = /^https?:\/\/[^/]+\/v0\/(?:blob|web|tx|chunk|content|proof)(?:[/?]|$)/

const cache = new MemoryCache<CacheEntry>(4 << 20)

/** Whether the answer to a request by this method to this URL may be cached. */
export function canBeCached(method: string, url: string): boolean {
  if (method === 'POST') return RETRIEVAL.test(url)
  return (method === 'GET' || method === 'HEAD') && (!API.test(url) || RETRIEVAL.test(url))
}

/** The cached answer for this request and these settings; `text` is the request's body, if any. */
export function findCachedResponse(request: Request, env: object, text: string): CacheEntry | undefined {
  const key = responseCacheKey(request, text)
  const known = cache.get(key) ?? cache.get(`${chooseCoding(request)} ${key}`)
  return known?.env === env ? known : undefined
}

/** Removes all cached answers. */
export function clearResponseCache(): void {
  cache.clear()
}

/** Caches an answer to this request, with the headers that it is sent with. */
export function cacheResponse(request: Request, env: object, kept: CachedResponse): void {
  if (!canBeCached(request.method, request.url)) return
  const { init, tags, ranges } = kept.answer
  const negotiated = /accept-encoding/i.test(init.headers.get('Vary') ?? '')
  const form = negotiated ? `${chooseCoding(request)} ` : ''
  const key = form + responseCacheKey(request, kept.text ?? '')
  const notModified = headersOfNotModified(init.headers)
  const size = kept.bytes + 66 * (kept.txids?.length ?? 0) + 100 * (kept.cids?.length ?? 0) + 1024
  cache.set(key, { ...kept, answer: { init, notModified, tags, ranges }, env, allowedBy: undefined }, size)
}

/**
 * The parts of a request that its answer depends on, without its encoding and what `respond` handles: the URL with its
 * host, whether a part is requested, and outside of the API also `Accept`, the scheme that a proxy reports, and
 * `Service-Worker`.
 */
function responseCacheKey({ method, url, headers }: Request, text: string): string {
  const host = headers.get('X-Forwarded-Host') ?? ''
  if (method === 'POST') return `POST ${host} ${url} ${text}`
  const kind = headers.has('Range') ? 'part' : 'GET'
  if (API.test(url)) return `${kind} ${host} ${url}`
  const [accept, visitor, worker] = [headers.get('Accept'), headers.get('CF-Visitor'), headers.get('Service-Worker')]
  return `${kind} ${host} ${url} ${accept ?? ''} ${visitor ?? ''} ${worker ?? ''}`
}
