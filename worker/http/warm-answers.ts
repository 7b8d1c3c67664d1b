import type { CID } from 'multiformats/cid'
import { MemoryCache } from '../flow/memory-cache.ts'
import { takesBrotli } from './negotiate-encoding.ts'
import type { PreparedRepresentation } from './respond.ts'

/** An answer that can be given again to whoever sends the same request. */
export interface WarmAnswer {
  answer: Omit<PreparedRepresentation, 'body'>
  /** Its bytes; `undefined` when they are no longer in memory. */
  read(): Uint8Array | undefined
  /** Memory that only this answer takes, in bytes. */
  bytes: number
  /** The body of the request that it answers, where there was one. */
  text?: string
  /** What it was made of, about which the denylist is asked. */
  txids?: readonly string[]
  cids?: readonly CID[]
  item?: string
  /** Whether what the answer was found by still stands; without it, nothing can change. `now` is in ms since 1970. */
  holds?(now: number): boolean
}

/** A kept answer, as long as the memory lasts. */
export interface KeptAnswer extends WarmAnswer {
  /** The settings that it was made under. */
  env: object
  /** The version of the denylist that the answer was last held against. */
  allowedBy: number | undefined
}

/** Paths of the API that are answered from memory. Of other hosts and paths, any may be. */
const RETRIEVAL = /^https?:\/\/[^/]+\/v0\/(?:blob|web|tx|chunk|content)(?:[/?]|$)/
const OTHER_API = /^https?:\/\/[^/]+\/v0(?:[/?]|$)/
/** What of retrieval comes in more than one encoding; whatever else this matches may. */
const NEGOTIATED = /\/v0\/(?:web|content)/

const warm = new MemoryCache<KeptAnswer>(32 << 20, 4 << 20)

/** Whether requests for a URL may be answered from memory: retrieval, and what is not of the API. */
export function canBeWarm(method: string, url: string): boolean {
  if (method === 'POST') return RETRIEVAL.test(url)
  return (method === 'GET' || method === 'HEAD') && (!OTHER_API.test(url) || RETRIEVAL.test(url))
}

/** The answer that was kept for this request under the same settings; `text` is the request's body, if any. */
export function findWarm(request: Request, env: object, text: string): KeptAnswer | undefined {
  const known = warm.get(warmKey(request, text))
  return known?.env === env ? known : undefined
}

/** Keeps an answer to this request, with the headers that it goes out with. */
export function keepWarm(request: Request, env: object, kept: WarmAnswer): void {
  const { method, url } = request
  if (!canBeWarm(method, url)) return
  const { init, tags, ranges } = kept.answer
  const key = warmKey(request, kept.text ?? '')
  const size = kept.bytes + 2 * key.length + 66 * (kept.txids?.length ?? 0) + 100 * (kept.cids?.length ?? 0) + 1024
  warm.set(key, { ...kept, answer: { init, tags, ranges }, env, allowedBy: undefined }, size)
}

/**
 * Everything of a request that its answer depends on, but for what `respond` looks at: the host among it, since the URL
 * is whole. Which of two forms of a content is chosen depends on `Range` and `Accept-Encoding`; beyond the API, also on
 * `Accept`, on the scheme that a proxy says, and on who asks for a service worker.
 */
function warmKey(request: Request, text: string): string {
  const { method, url, headers } = request
  const host = headers.get('X-Forwarded-Host') ?? ''
  if (method === 'POST') return `POST ${encodingFor(request)}${host} ${url} ${text}`
  const form = headers.has('Range') ? 'part ' : encodingFor(request)
  if (RETRIEVAL.test(url)) return `GET ${form}${host} ${url}`
  const accept = headers.get('Accept') ?? ''
  return `GET ${form}${host} ${url} ${accept} ${headers.get('CF-Visitor') ?? ''} ${headers.get('Service-Worker') ?? ''}`
}

function encodingFor(request: Request): string {
  const negotiated = NEGOTIATED.test(request.url) || !RETRIEVAL.test(request.url)
  return negotiated && takesBrotli(request) ? 'br ' : ''
}
