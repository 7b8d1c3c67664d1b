import { LEAST_TRANSACTIONS } from '../../../protocol/literal-parts.ts'
import type { Env, FetcherAnswer } from '../../platform/bindings.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { isolateBudget, MemoryBudget, memoryOf } from '../../platform/flow/memory-budget.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { CacheTier } from '../../platform/http/server-timing.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { getRecord } from './bucket-records.ts'
import { type ContentRecord, listName, type RecordKind, recordName, WHOLE_BYTES } from './content-record.ts'
import type { DecodingSource } from './decoded-content.ts'
import { getEdgeRecord, putEdgeRecord } from './edge-records.ts'
import { fetcherName } from './fetcher-name.ts'
import { KeptBodies } from './kept-bodies.ts'
import { PARTS_PREFIX, readListMark } from './list-mark.ts'
import type { ContentRequest } from './parse-request.ts'
import { streamedBody } from './streamed-body.ts'
import { waitForDelivery } from './wait-for-delivery.ts'

/** A record and where it was found. */
interface FoundContent {
  record: ContentRecord
  tier: CacheTier
  /** Milliseconds spent waiting for the node. */
  rpcMs: number
}

/** What the chains hold, read through every tier. */
export interface ContentStore {
  /**
   * The content of a list of transactions, from the nearest tier that has it: memory, Cache API, R2, the node (through the
   * one ContentFetcher of this list). `undefined` if there is no such content.
   * For a `part` of content that nothing has as a whole, only the transactions of that part are read, where that is possible: then
   * the record is of the decoded content. @throws {AppError} 422, 502, 503, 504.
   */
  read(request: ContentRequest, kind: RecordKind, options?: { part?: boolean }): Promise<FoundContent | undefined>
  /** What decoding a record of the list needs; it is read again where its body was read. */
  decodingOf(request: ContentRequest, kind: RecordKind): DecodingSource
}

/** Of this isolate, by the names of records. */
const memory = new MemoryCache<ContentRecord>(WHOLE_BYTES)

let keptOfIsolate: KeptBodies | undefined

/**
 * What is too large for it; raw transactions, which nobody shows, are not kept. On Cloudflare it is a part of what requests
 * share, elsewhere it has memory of its own.
 */
export function keptBodies({ CACHE_MEMORY }: Pick<Env, 'CACHE_MEMORY'>): KeptBodies {
  const most = Number(CACHE_MEMORY ?? 0)
  keptOfIsolate ??= new KeptBodies(most > 0 ? new MemoryBudget(most, most) : isolateBudget)
  return keptOfIsolate
}

/** Records of which a request makes a copy for the edge cache, so that a crowd makes one. */
const copied = new MemoryCache<boolean>(0)

/** The content store of one request of the Worker. */
export function openContentStore(from: {
  env: Env
  ctx: Pick<ExecutionContext, 'waitUntil'>
  /** The address of who asks, where it is known. */
  client: string | undefined
}): ContentStore {
  const { env, ctx, client } = from

  async function readFar(request: ContentRequest, list: string, kind: RecordKind): Promise<FoundContent | undefined> {
    const fetcher = env.CONTENT_FETCHER.getByName(fetcherName(request, list))
    // Of raw transactions only the fetcher knows where they are.
    if (kind === 'tx') return await accept(await fetcher.fetchRecord(request, kind, { client }))
    // R2 and the fetcher are called in parallel, so that a miss needs no longer than the node, even if R2 hangs. The fetcher
    // does not call the node if it knows that R2 has the content.
    const asked = fetcher.fetchRecord(request, kind, { client })
    const looked = readBucket(list)
    const first = await Promise.race([asked.catch(() => undefined), looked])
    if (first && 'outcome' in first && first.outcome === 'found') return await accept(first)
    const stored = await looked
    if (stored) {
      ctx.waitUntil(asked.then(discard, () => undefined))
      return stored
    }
    const answer = await asked
    if (answer.outcome !== 'kept') return await accept(answer)
    // Stored after R2 was read, or lost there.
    return (await readBucket(list)) ?? (await accept(await fetcher.fetchRecord(request, kind, { client, lost: true })))
  }

  async function readBucket(list: string): Promise<FoundContent | undefined> {
    try {
      const record = await getRecord(env.BUCKET, list)
      return record && { record, tier: 'r2', rpcMs: 0 }
    } catch (error) {
      // The chain still has it.
      logOnceAMinute('error', 'bucket_unavailable', list, error)
      return undefined
    }
  }

  /** What is not in memory whole is read from R2 once more, once its reader should have it. */
  async function copyToEdge(list: string, name: string, size: number): Promise<void> {
    if (copied.get(name)) return
    copied.set(name, true, 0)
    await waitForDelivery(size)
    const stored = await readBucket(list)
    if (stored) await putEdgeRecord(name, stored.record)
    copied.delete(name)
  }

  async function readPart(request: ContentRequest, list: string): Promise<FoundContent | undefined> {
    if (request.txids.length < LEAST_TRANSACTIONS) return undefined
    const stored = await readBucket(list)
    if (stored) return stored
    if (await isWrong(list)) return undefined
    const fetch = async (txids: string[]) => {
      const some = { blockchain: request.blockchain, txids }
      const fetcher = env.CONTENT_FETCHER.getByName(fetcherName(some, listName(some)))
      return await fetcher.fetchRecord(some, 'content', { client, record: false })
    }
    const { maxDecodedBytes } = readConfig(env)
    const { openParts } = await import('./open-parts.ts')
    const opened = await openParts(request, { fetch, take: memoryOf(client), maxBytes: maxDecodedBytes })
    return opened && { record: opened.record, tier: opened.asked ? 'miss' : 'r2', rpcMs: opened.rpcMs }
  }

  /** Whether the content is known not to be in the parts that it says, or that cannot be known now. */
  async function isWrong(list: string): Promise<boolean> {
    try {
      return (await readListMark(env.BUCKET, { prefix: PARTS_PREFIX, list })) !== undefined
    } catch (error) {
      logOnceAMinute('error', 'bucket_unavailable', list, error)
      return true
    }
  }

  async function readTiers(
    request: ContentRequest,
    list: string,
    kind: RecordKind,
    part: boolean,
  ): Promise<FoundContent | undefined> {
    const name = recordName(kind, list)
    const near = await getEdgeRecord(name)
    const found = near
      ? { record: near, tier: 'edge' as const, rpcMs: 0 }
      : ((part ? await readPart(request, list) : undefined) ?? (await readFar(request, list, kind)))
    if (!found) return undefined
    const { body } = found.record
    if (body instanceof Uint8Array) {
      if (found.tier !== 'edge') ctx.waitUntil(putEdgeRecord(name, found.record))
      memory.set(name, found.record, body.length)
    } else if (found.tier === 'r2' && kind === 'content' && !(part && isInParts(found.record)))
      ctx.waitUntil(copyToEdge(list, name, body.size))
    return found
  }

  const store: ContentStore = {
    async read(request, kind, { part = false } = {}) {
      const list = listName(request)
      const name = recordName(kind, list)
      const remembered = memory.get(name)
      if (remembered) return { record: remembered, tier: 'memory', rpcMs: 0 }
      const kept = keptBodies(env).get(name, async () => (await readTiers(request, list, kind, false))?.record)
      if (kept) return { record: kept, tier: 'memory', rpcMs: 0 }
      const found = await readTiers(request, list, kind, part)
      if (!found || kind === 'tx' || (part && isInParts(found.record))) return found
      return { ...found, record: keptBodies(env).keepWhenRead(name, found.record) }
    },
    decodingOf(request, kind) {
      const { maxDecodedBytes } = readConfig(env)
      const reopen = async () => (await store.read(request, kind))?.record
      return { env, maxDecodedBytes, take: memoryOf(client), reopen }
    },
  }
  return store
}

/** Whether a range of it is read by itself, so that nothing is done with the whole. */
function isInParts({ form }: ContentRecord): boolean {
  return typeof form.parts === 'number'
}

async function discard(answer: FetcherAnswer): Promise<void> {
  if (answer.outcome === 'found' && answer.body instanceof ReadableStream) await answer.body.cancel()
}

async function accept(answer: FetcherAnswer): Promise<FoundContent | undefined> {
  switch (answer.outcome) {
    case 'kept':
    case 'not_found':
      return undefined
    case 'error':
      throw new AppError(answer.status, answer.code, answer.message, { headers: answer.headers })
    case 'found': {
      const { body, length, form, tier, rpcMs } = answer
      return { record: { body: body instanceof Uint8Array ? body : streamedBody(body, length), form }, tier, rpcMs }
    }
  }
}
