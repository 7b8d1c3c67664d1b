import { DurableObject } from 'cloudflare:workers'
import { concatBytes } from '../protocol/bytes.ts'
import { type Env, readConfig } from './bindings.ts'
import { decodeStored } from './content/brotli.ts'
import { MemoryCache } from './content/memory-cache.ts'
import { AppError } from './errors.ts'
import { getRecord, putRecord } from './retrieval/bucket-records.ts'
import { type ContentRecord, contentKey, type RecordKind } from './retrieval/content-record.ts'
import { fetchContent } from './retrieval/fetch-content.ts'
import type { ContentRequest } from './retrieval/parse-request.ts'
import { readerFirst } from './retrieval/reader-first.ts'

type Fetched = { content: ContentRecord; transactions: Uint8Array[]; rpcMs: number } | 'not_found'

/** What the object answers with; the error is an {@link AppError} in transport. */
export type FetcherAnswer =
  | {
      outcome: 'found'
      encoding: ContentRecord['encoding']
      body: ReadableStream | null
      rpcMs: number
      tier: 'r2' | 'miss'
    }
  | { outcome: 'not_found' }
  | { outcome: 'error'; status: AppError['status']; code: string; message: string; headers: Record<string, string> }

/** Contents that an object remembers to have kept. */
const REMEMBERED = 1_000

/**
 * Fetches content for every reader: a crowd that asks for the same cold content is one fetch at the node. The
 * platform lets the requests of one Durable Object share a promise, which those of a Worker can't.
 */
export class ContentFetcher extends DurableObject<Env> {
  readonly #inFlight = new Map<string, Promise<Fetched>>()
  readonly #kept = new MemoryCache<true>(REMEMBERED, 1)

  async fetchRecord(request: ContentRequest, kind: RecordKind): Promise<FetcherAnswer> {
    try {
      const key = contentKey(request)
      // It may have been kept since this reader looked into R2 itself.
      const stored = this.#kept.get(key)
        ? await getRecord(this.env.BUCKET, kind, key).catch(() => undefined)
        : undefined
      if (stored) return found(stored, 0, 'r2')
      const fetched = await (this.#inFlight.get(key) ?? this.#begin(request, key))
      if (fetched === 'not_found') return { outcome: 'not_found' }
      return found(recordOf(fetched, kind), fetched.rpcMs, 'miss')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.cause !== undefined) console.error(error.code, error.cause)
      const { status, code, message, headers } = error
      return { outcome: 'error', status, code, message, headers }
    }
  }

  #begin(request: ContentRequest, key: string): Promise<Fetched> {
    const fetching = this.#fetch(request)
    this.#inFlight.set(key, fetching)
    // Until it is kept, a late reader is served from this object's memory.
    const forget = () => void this.#inFlight.delete(key)
    const keeping = fetching.then((fetched) => (fetched === 'not_found' ? undefined : this.#keep(key, fetched)))
    this.ctx.waitUntil(keeping.then(forget, forget))
    return fetching
  }

  async #fetch(request: ContentRequest): Promise<Fetched> {
    const { chains, maxContentBytes, maxDecodedBytes } = readConfig(this.env)
    const fetched = await fetchContent(chains[request.blockchain], request.txids, maxContentBytes)
    if (!fetched) return 'not_found'
    const { transactions, rpcMs } = fetched
    const bytes = concatBytes(fetched.content)
    return { content: { bytes, encoding: decodeStored(bytes, maxDecodedBytes).encoding }, transactions, rpcMs }
  }

  async #keep(key: string, fetched: Exclude<Fetched, 'not_found'>): Promise<void> {
    try {
      await readerFirst(fetched.content.bytes.length)
      await putRecord(this.env.BUCKET, 'content', key, fetched.content)
      await putRecord(this.env.BUCKET, 'tx', key, recordOf(fetched, 'tx'))
      this.#kept.set(key, true, 1)
    } catch (error) {
      console.error('keeping content in R2 failed; it will be fetched again', error)
    }
  }
}

function recordOf({ content, transactions }: Exclude<Fetched, 'not_found'>, kind: RecordKind): ContentRecord {
  return kind === 'content' ? content : { bytes: concatBytes(transactions), encoding: 'identity' }
}

function found(record: ContentRecord, rpcMs: number, tier: 'r2' | 'miss'): FetcherAnswer {
  const { body } = new Response(record.bytes)
  return { outcome: 'found', encoding: record.encoding, body, rpcMs, tier }
}
