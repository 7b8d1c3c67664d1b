import { isBlockchain } from '../../protocol/chains.ts'
import type { Env } from '../bindings.ts'
import { readConfig } from '../bindings.ts'
import { matchesEtag, rangeStillHolds } from '../content/etag.ts'
import { MemoryCache } from '../content/memory-cache.ts'
import { acceptsEncoding, clientAcceptEncoding } from '../content/negotiate-encoding.ts'
import { contentRange, parseRange } from '../content/parse-range.ts'
import type { StoredItem } from '../storage/stored-items.ts'
import { contentKey } from './content-record.ts'
import { encodeFor, entityTag, IMMUTABLE } from './prepare-answer.ts'
import { type CacheTier, readContent } from './read-content.ts'
import { serverTiming } from './server-timing.ts'

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
  if (!isBlockchain(item.blockchain)) return new Response(null, { status: 404 })
  const asked = { blockchain: item.blockchain, txids: item.txids }
  const key = contentKey(asked)
  const range = request.headers.get('Range')
  const brotli = range === null && acceptsEncoding(clientAcceptEncoding(request), 'br')
  const plain = brotli ? undefined : decoded.get(key)
  if (plain) return respond(request, plain, { item, key, encoded: false, tier: 'memory', rpcMs: 0, extraHeaders })

  const found = await readContent(env, ctx, asked, 'content')
  if (!found) return new Response(null, { status: 404 })
  const { body, encoded } = encodeFor(found.record, brotli, readConfig(env).maxDecodedBytes)
  if (!encoded) decoded.set(key, body, body.length)
  return respond(request, body, { item, key, encoded, tier: found.tier, rpcMs: found.rpcMs, extraHeaders })
}

interface Answer {
  item: StoredItem
  key: string
  encoded: boolean
  tier: CacheTier
  rpcMs: number
  extraHeaders: Record<string, string>
}

function respond(request: Request, body: Uint8Array, answer: Answer): Response {
  const etag = `"${entityTag(answer.key)}${answer.encoded ? '.br' : ''}"`
  const headers = new Headers({
    ...answer.extraHeaders,
    'Content-Type': answer.item.mimetype,
    ETag: etag,
    'Cache-Control': IMMUTABLE,
    'Accept-Ranges': 'bytes',
    Vary: 'Accept-Encoding',
    'Server-Timing': serverTiming(answer.tier, answer.rpcMs),
  })
  if (matchesEtag(request.headers.get('If-None-Match'), etag)) return new Response(null, { status: 304, headers })
  const wanted = rangeStillHolds(request.headers.get('If-Range'), etag) ? request.headers.get('Range') : null
  const range = answer.encoded ? undefined : parseRange(wanted, body.length)
  if (range === 'unsatisfiable') {
    headers.set('Content-Range', contentRange(undefined, body.length))
    return new Response(null, { status: 416, headers })
  }
  const part = range ? body.subarray(range.start, range.end + 1) : body
  if (range) headers.set('Content-Range', contentRange(range, body.length))
  if (answer.encoded) headers.set('Content-Encoding', 'br')
  const status = range ? 206 : 200
  if (request.method === 'HEAD') {
    headers.set('Content-Length', String(part.length))
    return new Response(null, { status, headers })
  }
  return new Response(part, { status, headers, encodeBody: answer.encoded ? 'manual' : 'automatic' })
}
