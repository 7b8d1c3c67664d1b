import type { Context } from 'hono'
import type { CID } from 'multiformats/cid'
import { type Denylist, denylist, refuseDenied } from '../../denylist/denylist.ts'
import { MemoryCache } from '../../flow/memory-cache.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { limitRequest } from '../../http/limit-requests.ts'
import { takesBrotli } from '../../http/negotiate-encoding.ts'
import { type Representation, respond } from '../../http/respond.ts'
import type { FoundPath } from '../formats/found-content.ts'

interface WarmAnswer {
  representation: Representation & { body: Uint8Array }
  cids: readonly CID[]
  /** The denylist that these CIDs were last held against. */
  allowedBy: number
}

/** Whole small answers by everything in the request that they depend on; nothing a CID names ever changes. */
const warm = new MemoryCache<WarmAnswer>(16 << 20, 2 << 20)

/**
 * Answers from memory when this isolate has had the same question: nothing is parsed, looked up or awaited but a
 * denylist that is out of date. Otherwise `find` is asked, and what it finds is kept if it is whole and immutable.
 * `request` has the address as the client wrote it, where that is another than the Worker's.
 */
export async function answerIpfs(
  c: Context<AppEnv>,
  find: (denied: Denylist) => Promise<FoundPath>,
  request: Request = c.req.raw,
): Promise<Response> {
  const pending = denylist(c.env, c.executionCtx)
  const denied = pending instanceof Promise ? await pending : pending
  const key = answerKey(request)
  const known = warm.get(key)
  if (known) {
    if (known.allowedBy !== denied.version) {
      refuseDenied(denied, known)
      known.allowedBy = denied.version
    }
    const response = await respond(request, known.representation)
    response.headers.set('Server-Timing', 'cache;desc=memory')
    return response
  }
  await limitRequest(c)
  const { representation, cids } = await find(denied)
  if (representation instanceof Response) return representation
  const { body, headers, status } = representation
  const lasting = status === 200 && /immutable|stale/.test(headers.get('Cache-Control') ?? '')
  if (lasting && body instanceof Uint8Array && cids) {
    const entry = { representation: { ...representation, body }, cids, allowedBy: denied.version }
    warm.set(key, entry, body.byteLength + key.length + 1024)
  }
  return await respond(request, representation)
}

function answerKey(request: Request): string {
  const brotli = takesBrotli(request) && !request.headers.has('Range')
  return `${brotli ? 'br ' : ''}${request.url} ${request.headers.get('Accept') ?? ''}`
}
