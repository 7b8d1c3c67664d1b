import type { Context } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { limitRequest } from '../../../platform/http/limit-requests.ts'
import { prepareRepresentation, respond } from '../../../platform/http/respond.ts'
import { serverTiming } from '../../../platform/http/server-timing.ts'
import { type Denylist, denylist } from '../../denylist/denylist.ts'
import { runInWalkSlot } from '../blocks/walk-slots.ts'
import type { FoundPath } from '../formats/found-content.ts'

/** Answers a request for IPFS with what `find` finds, once the request is counted and it is its turn. */
export async function answerIpfs(
  c: Context<AppEnv>,
  find: (denied: Denylist) => Promise<FoundPath>,
): Promise<Response> {
  const denied = await denylist(c.env, c.executionCtx)
  await limitRequest(c)
  return await runInWalkSlot(c.executionCtx, async () => await answerFound(c, await find(denied)))
}

/** Answers with what a path led to, and leaves it to be stored if it is whole and immutable. */
export async function answerFound(c: Context<AppEnv>, { representation, cids }: FoundPath): Promise<Response> {
  if (representation instanceof Response) return representation
  const { again, body, status } = representation
  const lasting = status === 200 && /immutable|stale/.test(representation.headers.get('Cache-Control') ?? '')
  if (lasting && body instanceof Uint8Array && cids) {
    const headers = new Headers(representation.headers)
    headers.set('Server-Timing', serverTiming('memory'))
    const answer = prepareRepresentation({ ...representation, headers })
    const kept = again ? { read: again, bytes: 0 } : { read: () => body, bytes: body.byteLength }
    c.set('cacheable', { answer, ...kept, cids })
  }
  return await respond(c.req.raw, representation)
}
