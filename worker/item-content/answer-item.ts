import { isBlockchain } from '../../protocol/chains.ts'
import type { Env } from '../bindings.ts'
import { contentKey } from '../chain-content/content-record.ts'
import type { ContentRequest } from '../chain-content/parse-request.ts'
import { encodeFor, entityTag, IMMUTABLE, nothingFound } from '../chain-content/prepare-answer.ts'
import { type CacheTier, readContent } from '../chain-content/read-content.ts'
import { now } from '../clock.ts'
import { readConfig } from '../config/read-config.ts'
import { MemoryCache } from '../flow/memory-cache.ts'
import { matchesEtag, rangeStillHolds } from '../http/etag.ts'
import { takesBrotli } from '../http/negotiate-encoding.ts'
import { contentRange, parseRange } from '../http/parse-range.ts'
import { rangeNotSatisfiable } from '../http/range-not-satisfiable.ts'
import { serverTiming } from '../http/server-timing.ts'
import { keepWarm } from '../http/warm-answers.ts'
import type { StoredItem } from '../storage/items/stored-items.ts'
import { FRESH_MS } from './find-stored-item.ts'

/** Decoded content, so that a reader of ranges decodes it once. */
const decoded = new MemoryCache<Uint8Array>(24 << 20, 16 << 20)

/**
 * An item on a chain as the file that it is, for GET and HEAD: whole as stored Brotli where the client takes it,
 * decoded otherwise, one range of the decoded bytes (RFC 9110, 14). 404 without a body when the chain lost it.
 * @throws {AppError} 422, 502, 503, 504.
 */
export async function answerItem(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  request: Request,
  item: StoredItem,
  extraHeaders: Record<string, string>,
): Promise<Response> {
  if (!isBlockchain(item.blockchain)) return nothingFound()
  const asked = { blockchain: item.blockchain, txids: item.txids }
  const key = contentKey(asked)
  const brotli = !request.headers.has('Range') && takesBrotli(request)
  const plain = brotli ? undefined : decoded.get(key)
  const found = plain
    ? { body: plain, encoded: false, tier: 'memory' as const, rpcMs: 0 }
    : await readBody(env, ctx, asked, key, brotli)
  if (!found) return nothingFound()
  const { body, encoded } = found
  if (!encoded) decoded.set(key, body, body.length)

  const describe = (tier: CacheTier, rpcMs: number) => ({
    ...extraHeaders,
    'Content-Type': item.mimetype,
    ETag: `"${entityTag(key)}${encoded ? '.br' : ''}"`,
    'Cache-Control': IMMUTABLE,
    'Accept-Ranges': 'bytes',
    Vary: 'Accept-Encoding',
    ...(encoded ? { 'Content-Encoding': 'br' } : {}),
    'Server-Timing': serverTiming(tier, rpcMs),
  })
  const warm = {
    headers: describe('memory', 0),
    item: item.id,
    txids: item.txids,
    until: now() + FRESH_MS,
    respond(again: Request, headers: Headers) {
      const kept = encoded ? body : decoded.get(key)
      return kept && respond(again, kept, headers)
    },
  }
  keepWarm(request, '', warm, encoded ? body.length : 0)
  return respond(request, body, new Headers(describe(found.tier, found.rpcMs)))
}

async function readBody(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  asked: ContentRequest,
  key: string,
  brotli: boolean,
): Promise<{ body: Uint8Array; encoded: boolean; tier: CacheTier; rpcMs: number } | undefined> {
  const found = await readContent(env, ctx, asked, key, 'content')
  return found && { ...encodeFor(found.record, brotli, readConfig(env).maxDecodedBytes), ...found }
}

function respond(request: Request, body: Uint8Array, described: Headers): Response {
  const headers = new Headers(described)
  const etag = headers.get('ETag') ?? ''
  const encoded = headers.has('Content-Encoding')
  if (matchesEtag(request.headers.get('If-None-Match'), etag)) {
    headers.delete('Content-Encoding')
    return new Response(null, { status: 304, headers })
  }
  const wanted = rangeStillHolds(request.headers.get('If-Range'), etag) ? request.headers.get('Range') : null
  const range = encoded ? undefined : parseRange(wanted, body.length)
  if (range === 'unsatisfiable') return rangeNotSatisfiable(request, headers, body.length)
  const part = range ? body.subarray(range.start, range.end + 1) : body
  if (range) headers.set('Content-Range', contentRange(range, body.length))
  const status = range ? 206 : 200
  if (request.method === 'HEAD') {
    headers.set('Content-Length', String(part.length))
    return new Response(null, { status, headers })
  }
  return new Response(part, { status, headers, encodeBody: encoded ? 'manual' : 'automatic' })
}
