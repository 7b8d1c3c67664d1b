import type { Env } from '../bindings.ts'
import { MemoryCache } from '../content/memory-cache.ts'
import { AppError } from '../errors.ts'
import { getRecord } from './bucket-records.ts'
import { type ContentRecord, contentKey, fetcherName, type RecordKind, readEncoding } from './content-record.ts'
import type { ContentRequest } from './parse-request.ts'
import { readerFirst } from './reader-first.ts'

/** Where content was found, as `Server-Timing` names it. */
export type CacheTier = 'memory' | 'edge' | 'r2' | 'miss'

export interface ReadContent {
  record: ContentRecord
  tier: CacheTier
  /** Milliseconds spent waiting for the node. */
  rpcMs: number
}

const memory = new MemoryCache<ContentRecord>(24 << 20, 12 << 20)

/**
 * A record of these transactions, from the nearest tier that has it: memory, Cache API, R2, the node (through
 * the one ContentFetcher of this content). `undefined` when there is no such content.
 * @throws {AppError} 422, 502, 503, 504.
 */
export async function readContent(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  request: ContentRequest,
  kind: RecordKind,
): Promise<ReadContent | undefined> {
  const key = contentKey(request)
  const name = `${kind}/${key}`
  const remembered = memory.get(name)
  if (remembered) return { record: remembered, tier: 'memory', rpcMs: 0 }
  const found =
    (await fromEdge(name)) ?? (await fromBucket(env, ctx, kind, key)) ?? (await fromNode(env, ctx, request, kind, key))
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
  ctx.waitUntil(put().catch((error: unknown) => console.error('the edge cache took nothing', error)))
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
    console.error('R2 does not answer; the node is asked', error)
    return undefined
  }
}

async function fromNode(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  request: ContentRequest,
  kind: RecordKind,
  key: string,
): Promise<ReadContent | undefined> {
  const fetcher = env.CONTENT_FETCHER.get(env.CONTENT_FETCHER.idFromName(fetcherName(key)))
  const answer = await fetcher.fetchRecord(request, kind)
  switch (answer.outcome) {
    case 'not_found':
      return undefined
    case 'error':
      throw new AppError(answer.status, answer.code, answer.message, { headers: answer.headers })
    case 'found': {
      const record = { bytes: new Uint8Array(await new Response(answer.body).arrayBuffer()), encoding: answer.encoding }
      toEdge(ctx, `${kind}/${key}`, record)
      return { record, tier: answer.tier, rpcMs: answer.rpcMs }
    }
  }
}
