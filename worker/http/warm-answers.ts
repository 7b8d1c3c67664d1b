import type { Env } from '../bindings.ts'
import { now } from '../clock.ts'
import { type Denylist, denylist, isDenied } from '../denylist/denylist.ts'
import { MemoryCache } from '../flow/memory-cache.ts'
import { finishResponse } from './finish-response.ts'
import { takesBrotli } from './negotiate-encoding.ts'
import { BODY_LIMIT } from './read-body.ts'
import { type PreparedRepresentation, respondPrepared } from './respond.ts'

/** An answer that can be given again to whoever sends the same request. */
export interface WarmAnswer {
  answer: Omit<PreparedRepresentation, 'body'>
  /** Its bytes; `undefined` when they are no longer in memory. */
  read(): Uint8Array | undefined
  txids: readonly string[]
  item?: string
  /** Milliseconds since 1970 from when on the answer must be looked up again. */
  until?: number
}

interface KeptAnswer extends WarmAnswer {
  /** The version of the denylist that the answer was last held against. */
  allowedBy: number | undefined
}

const RETRIEVAL = /^https?:\/\/[^/]+\/v0\/(?:blob|web|tx|chunk|content)(?:[/?]|$)/
/** What comes in more than one encoding; whatever else this matches may. */
const NEGOTIATED = /\/v0\/(?:web|content)/

const warm = new MemoryCache<KeptAnswer>(16 << 20, 4 << 20)

/**
 * Answers retrieval from memory, ahead of everything else: whoever sends the exact text of a request that was
 * answered before needs no second check of anything but the denylist. Where there is no such answer, `answerCold` gets
 * the request, its body unread.
 */
export async function answerWarm(
  request: Request,
  env: Pick<Env, 'DB'>,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  answerCold: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { method, url, headers } = request
  if (!RETRIEVAL.test(url)) return answerCold(request)
  const post = method === 'POST'
  if (post ? !isJsonWithinLimit(headers) : method !== 'GET' && method !== 'HEAD') return answerCold(request)
  const text = post ? await request.text() : ''
  const known = warm.get(warmKey(request, text))
  if (known && (known.until === undefined || known.until > now())) {
    const pending = denylist(env, ctx)
    const denied = pending instanceof Promise ? await pending : pending
    if (isAllowed(known, denied)) {
      const body = known.read()
      if (body) return respondPrepared(request, { ...known.answer, body })
    }
  }
  return answerCold(post ? new Request(request, { body: text }) : request)
}

/** Each version of the denylist is asked once. */
function isAllowed(known: KeptAnswer, denied: Denylist): boolean {
  if (known.allowedBy === denied.version) return true
  if (isDenied(denied, known)) return false
  known.allowedBy = denied.version
  return true
}

/** Keeps an answer to this request, whose body, if any, was `text`; `bytes` is the memory that only it takes. */
export function keepWarm(request: Request, text: string, answer: WarmAnswer, bytes: number): void {
  if (!RETRIEVAL.test(request.url)) return
  const path = new URL(request.url).pathname
  const { init, tags, ranges } = answer.answer
  // Retrieval answers every origin alike.
  const { headers } = finishResponse(new Response(null, init), path, null, { consoleOrigins: [] })
  const key = warmKey(request, text)
  const finished = { init: { ...init, headers }, tags, ranges }
  warm.set(
    key,
    { ...answer, answer: finished, allowedBy: undefined },
    bytes + 2 * key.length + 66 * answer.txids.length,
  )
}

// Everything of a request that its answer depends on, but for what `respond` looks at itself.
function warmKey(request: Request, text: string): string {
  const { method, url, headers } = request
  const kind = method === 'POST' ? 'POST' : headers.has('Range') ? 'part' : 'GET'
  const brotli = NEGOTIATED.test(url) && takesBrotli(request) ? 'br' : ''
  return `${kind} ${brotli} ${headers.get('X-Forwarded-Host') ?? ''} ${url} ${text}`
}

/** Whether the body is JSON and, by its own word, which HTTP holds it to, within the limit. */
function isJsonWithinLimit(headers: Headers): boolean {
  const length = headers.get('Content-Length')
  return length !== null && Number(length) <= BODY_LIMIT.retrieval && headers.get('Content-Type') === 'application/json'
}
