import { type Denylist, denylist, isDenied } from '../content/denylist/denylist.ts'
import type { Env } from '../platform/bindings.ts'
import { now } from '../platform/clock.ts'
import { JSON_TYPE } from '../platform/http/media-types.ts'
import { decodeUtf8 } from '../platform/http/parse-json.ts'
import { BODY_LIMIT } from '../platform/http/read-body.ts'
import { respondPrepared } from '../platform/http/respond.ts'
import { type CacheEntry, canBeCached, findCachedResponse } from '../platform/http/response-cache.ts'
import { isNavigation } from './redirect-navigations.ts'

/**
 * The cached response to the exact text of an earlier request: only the denylist and what can change are checked again.
 * If there is none, `answerCold` receives the request with its body unread.
 */
export async function answerFromCache(
  request: Request,
  env: Pick<Env, 'DB' | 'BUCKET'>,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  answerCold: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { method, url, headers } = request
  const post = method === 'POST'
  if (!canBeCached(method, url) || (post && !isJsonWithinLimit(headers))) return answerCold(request)
  const sent = post ? new Uint8Array(await request.arrayBuffer()) : undefined
  // What is not UTF-8 is not JSON either: no earlier request with it was answered.
  const text = sent ? decodeUtf8(sent) : ''
  const known = text === undefined ? undefined : findCachedResponse(request, env, text)
  const body = known?.read()
  if (known && body && (known.holds === undefined || known.holds(now()))) {
    const pending = denylist(env, ctx)
    const denied = pending instanceof Promise ? await pending : pending
    if (isAllowed(known, denied)) {
      if (known.place !== undefined && isNavigation(request)) return answerCold(request)
      return respondPrepared(request, { ...known.answer, body })
    }
  }
  return answerCold(sent ? new Request(request, { body: sent }) : request)
}

/** Whether the denylist allows it; checked once for each version of the list. */
function isAllowed(known: CacheEntry, denied: Denylist): boolean {
  if (known.allowedBy === denied.version) return true
  if (isDenied(denied, known)) return false
  known.allowedBy = denied.version
  return true
}

/** Whether the body is JSON and, by its own word, which HTTP holds it to, within the limit. */
function isJsonWithinLimit(headers: Headers): boolean {
  const length = headers.get('Content-Length')
  return length !== null && Number(length) <= BODY_LIMIT.retrieval && headers.get('Content-Type') === JSON_TYPE
}
