import type { Context } from 'hono'
import { isBlockchain } from '../../../../protocol/chains.ts'
import { listName } from '../../../content/chain/content-record.ts'
import { openContentStore } from '../../../content/chain/content-store.ts'
import type { ContentRequest } from '../../../content/chain/parse-request.ts'
import { encodeFor, entityTag, nothingFound } from '../../../content/chain/prepare-answer.ts'
import type { Env } from '../../../platform/bindings.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import { MemoryCache } from '../../../platform/flow/memory-cache.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { takesBrotli } from '../../../platform/http/negotiate-encoding.ts'
import { IMMUTABLE_CONTENT } from '../../../platform/http/policies.ts'
import { prepareRepresentation, respondPrepared } from '../../../platform/http/respond.ts'
import { type CacheTier, serverTiming } from '../../../platform/http/server-timing.ts'
import type { StoredItem } from '../sql/stored-items.ts'
import { bindToItem } from './bind-to-item.ts'

/** Decoded content, so that a reader of ranges decodes it once. */
const decoded = new MemoryCache<Uint8Array>(16 << 20)

/**
 * An item on a chain as the file that it is, for GET and HEAD: whole as stored Brotli where the client takes it,
 * decoded otherwise, one range of the decoded bytes (RFC 9110, 14). 404 without a body when the chain lost it. `nameTag`
 * makes the entity tag that is sent of the content's own.
 * @throws {AppError} 422, 502, 503, 504.
 */
export async function answerItem(
  c: Context<AppEnv>,
  item: StoredItem,
  extraHeaders: Record<string, string>,
  nameTag: (etag: string) => string = (etag) => etag,
): Promise<Response> {
  const { env, executionCtx: ctx } = c
  const request = c.req.raw
  if (!isBlockchain(item.blockchain)) return nothingFound()
  const asked = { blockchain: item.blockchain, txids: item.txids }
  const list = listName(asked)
  const brotli = !request.headers.has('Range') && takesBrotli(request)
  const plain = brotli ? undefined : decoded.get(list)
  const found = plain
    ? { body: plain, encoded: false, tier: 'memory' as const, rpcMs: 0 }
    : await readBody(env, ctx, asked, brotli)
  if (!found) return nothingFound()
  const { body, encoded } = found
  if (!encoded) decoded.set(list, body, body.length)

  const timed = (tier: CacheTier, rpcMs: number) => {
    const headers = new Headers({
      ...extraHeaders,
      'Content-Type': item.mimetype,
      'Cache-Control': IMMUTABLE_CONTENT,
      Vary: 'Accept-Encoding',
      ...(encoded ? { 'Content-Encoding': 'br' } : {}),
      'Server-Timing': serverTiming(tier, rpcMs),
    })
    const etag = nameTag(`"${entityTag(list)}${encoded ? '.br' : ''}"`)
    return prepareRepresentation({ status: 200, headers, etag, body })
  }
  // What is decoded stays in one place, and is counted there.
  const kept = encoded ? { read: () => body, bytes: body.length } : { read: () => decoded.get(list), bytes: 0 }
  const { init, tags, ranges } = timed('memory', 0)
  c.set('warm', { answer: { init, tags, ranges }, ...kept, txids: item.txids })
  bindToItem(c, item.id)
  return respondPrepared(request, timed(found.tier, found.rpcMs))
}

async function readBody(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  asked: ContentRequest,
  brotli: boolean,
): Promise<{ body: Uint8Array; encoded: boolean; tier: CacheTier; rpcMs: number } | undefined> {
  const found = await openContentStore({ env, ctx }).read(asked, 'content')
  return found && { ...encodeFor(found.record, brotli, readConfig(env).maxDecodedBytes), ...found }
}
