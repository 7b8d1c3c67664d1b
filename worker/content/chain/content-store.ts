import type { Env, FetcherAnswer } from '../../platform/bindings.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { CacheTier } from '../../platform/http/server-timing.ts'
import { getRecord } from './bucket-records.ts'
import { type ContentRecord, listName, type RecordKind, recordName } from './content-record.ts'
import { getEdgeRecord, putEdgeRecord } from './edge-records.ts'
import { fetcherName } from './fetcher-name.ts'
import type { ContentRequest } from './parse-request.ts'

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
   * What a list of transactions gives, from the nearest tier that has it: memory, Cache API, R2, the node (through the
   * one ContentFetcher of this list). `undefined` when there is no such content.
   * @throws {AppError} 422, 502, 503, 504.
   */
  read(request: ContentRequest, kind: RecordKind): Promise<FoundContent | undefined>
}

/** Of this isolate, by the names of records. */
const memory = new MemoryCache<ContentRecord>(12 << 20)

/** The content store of one request of the Worker. */
export function openContentStore(from: {
  env: Pick<Env, 'BUCKET' | 'CONTENT_FETCHER'>
  ctx: Pick<ExecutionContext, 'waitUntil'>
}): ContentStore {
  const { env, ctx } = from

  async function readFar(request: ContentRequest, list: string, kind: RecordKind): Promise<FoundContent | undefined> {
    const fetcher = env.CONTENT_FETCHER.getByName(fetcherName(request, list))
    // Of raw transactions only the fetcher knows where they are.
    if (kind === 'tx') return await accept(await fetcher.fetchRecord(request, kind))
    // R2 and the fetcher are asked side by side, so that what is nowhere takes no longer than the node does, nor longer
    // for an R2 that hangs. The fetcher leaves the node alone where it knows R2 to have the content.
    const asked = fetcher.fetchRecord(request, kind)
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
    // Kept since R2 was asked, or lost there.
    return (await readBucket(list)) ?? (await accept(await fetcher.fetchRecord(request, kind, true)))
  }

  async function readBucket(list: string): Promise<FoundContent | undefined> {
    try {
      const record = await getRecord(env.BUCKET, list)
      return record && { record, tier: 'r2', rpcMs: 0 }
    } catch (error) {
      // The chain still has it.
      console.error('bucket_unavailable', list, error)
      return undefined
    }
  }

  return {
    async read(request, kind) {
      const list = listName(request)
      const name = recordName(kind, list)
      const remembered = memory.get(name)
      if (remembered) return { record: remembered, tier: 'memory', rpcMs: 0 }
      const near = await getEdgeRecord(name)
      const found = near ? { record: near, tier: 'edge' as const, rpcMs: 0 } : await readFar(request, list, kind)
      if (!found) return undefined
      if (found.tier !== 'edge') ctx.waitUntil(putEdgeRecord(name, found.record))
      memory.set(name, found.record, found.record.bytes.length)
      return found
    },
  }
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
      const { body, length, encoding, tier, rpcMs } = answer
      const bytes = body instanceof Uint8Array ? body : await readWhole(body, length)
      return { record: { bytes, encoding }, tier, rpcMs }
    }
  }
}

/** A stream of known length into one array, which is all the memory it takes. @throws {Error} where it ends early. */
async function readWhole(stream: ReadableStream<Uint8Array>, length: number): Promise<Uint8Array> {
  const { value } = await stream.getReader({ mode: 'byob' }).readAtLeast(length, new Uint8Array(length))
  if (value?.length !== length) throw new Error(`The fetcher sent ${value?.length ?? 0} bytes of ${length}`)
  return value
}
