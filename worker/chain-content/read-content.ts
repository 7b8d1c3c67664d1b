import type { Env, FetcherAnswer } from '../bindings.ts'
import { MemoryCache } from '../flow/memory-cache.ts'
import { AppError } from '../http/errors.ts'
import type { CacheTier } from '../http/server-timing.ts'
import { getRecord } from './bucket-records.ts'
import { type ContentRecord, fetcherName, type RecordKind, readEncoding } from './content-record.ts'
import type { ContentRequest } from './parse-request.ts'
import { readerFirst } from './wait-for-delivery.ts'

export interface ReadContent {
  record: ContentRecord
  tier: CacheTier
  /** Milliseconds spent waiting for the node. */
  rpcMs: number
}

const memory = new MemoryCache<ContentRecord>(24 << 20, 12 << 20)

/**
 * A record of these transactions, whose name `key` is, from the nearest tier that has it: memory, Cache API, R2, the
 * node (through the one ContentFetcher of this content). `undefined` when there is no such content.
 * @throws {AppError} 422, 502, 503, 504.
 */
export async function readContent(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  request: ContentRequest,
  key: string,
  kind: RecordKind,
): Promise<ReadContent | undefined> {
  const name = `${kind}/${key}`
  const remembered = memory.get(name)
  if (remembered) return { record: remembered, tier: 'memory', rpcMs: 0 }
  const found = (await fromEdge(name)) ?? (await fromBucketOrNode(env, ctx, request, key, kind))
  if (found) memory.set(name, found.record, found.record.bytes.length)
  return found
}

function edgeUrl(name: string): string {
  return `https://content.hookline.invalid/${name}`
}

async function fromEdge(name: string): Promise<ReadContent | undefined> {
  const response = await caches.default.match(edgeUrl(name))
  const encoding = readEncoding(response?.headers.get('X-Encoding'))
  if (!response || !encoding) return undefined
  return { record: { bytes: new Uint8Array(await response.arrayBuffer()), encoding }, tier: 'edge', rpcMs: 0 }
}

function toEdge(ctx: Pick<ExecutionContext, 'waitUntil'>, name: string, record: ContentRecord): void {
  const headers = {
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Type': 'application/octet-stream',
    'X-Encoding': record.encoding,
  }
  const put = async (): Promise<void> => {
    await readerFirst(record.bytes.length)
    await caches.default.put(edgeUrl(name), new Response(record.bytes, { headers }))
  }
  ctx.waitUntil(put().catch((error: unknown) => console.error('edge_content_not_kept', error)))
}

async function fromBucket(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  kind: RecordKind,
  key: string,
): Promise<ReadContent | undefined> {
  try {
    const record = await getRecord(env.BUCKET, kind, key)
    if (!record) return undefined
    toEdge(ctx, `${kind}/${key}`, record)
    return { record, tier: 'r2', rpcMs: 0 }
  } catch (error) {
    // The chain still has it.
    console.error('content_store_unavailable', error)
    return undefined
  }
}

/**
 * Asks R2 and the fetcher side by side, so that what is nowhere takes no longer than the node does, nor longer for an R2
 * that hangs. The fetcher leaves the node alone where it knows R2 to have the content.
 */
async function fromBucketOrNode(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  request: ContentRequest,
  key: string,
  kind: RecordKind,
): Promise<ReadContent | undefined> {
  const fetcher = env.CONTENT_FETCHER.get(env.CONTENT_FETCHER.idFromName(fetcherName(key)))
  const asked = fetcher.fetchRecord(request, key, kind)
  const looked = fromBucket(env, ctx, kind, key)
  const first = await Promise.race([asked.catch(() => undefined), looked])
  if (first && 'outcome' in first && first.outcome === 'found') return await accept(ctx, kind, key, first)
  const stored = await looked
  if (stored) {
    ctx.waitUntil(asked.then(discard, () => undefined))
    return stored
  }
  const answer = await asked
  if (answer.outcome !== 'kept') return await accept(ctx, kind, key, answer)
  // Kept since R2 was asked, or lost there.
  const late = await fromBucket(env, ctx, kind, key)
  return late ?? (await accept(ctx, kind, key, await fetcher.fetchRecord(request, key, kind, true)))
}

async function discard(answer: FetcherAnswer): Promise<void> {
  if (answer.outcome === 'found' && answer.body instanceof ReadableStream) await answer.body.cancel()
}

async function accept(
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  kind: RecordKind,
  key: string,
  answer: FetcherAnswer,
): Promise<ReadContent | undefined> {
  switch (answer.outcome) {
    case 'kept':
    case 'not_found':
      return undefined
    case 'error':
      throw new AppError(answer.status, answer.code, answer.message, { headers: answer.headers })
    case 'found': {
      const { body, encoding, rpcMs } = answer
      const bytes = body instanceof Uint8Array ? body : new Uint8Array(await new Response(body).arrayBuffer())
      const record = { bytes, encoding }
      toEdge(ctx, `${kind}/${key}`, record)
      return { record, tier: 'miss', rpcMs }
    }
  }
}
