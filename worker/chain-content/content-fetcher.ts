import { DurableObject } from 'cloudflare:workers'
import PQueue from 'p-queue'
import { concatBytes } from '../../protocol/bytes.ts'
import type { ContentFetcherRpc, Env, FetcherAnswer } from '../bindings.ts'
import { readConfig } from '../config/read-config.ts'
import { AppError, unavailable } from '../http/errors.ts'
import { decodeStored } from './brotli.ts'
import { putRecord } from './bucket-records.ts'
import type { ContentRecord, RecordKind } from './content-record.ts'
import { fetchContent } from './fetch-content.ts'
import type { ContentRequest } from './parse-request.ts'
import { readerFirst } from './wait-for-delivery.ts'

type Fetched = { content: ContentRecord; transactions: Uint8Array[]; rpcMs: number } | 'not_found'

/** Content up to here (bytes) goes to the Worker in one piece, without the steps of a stream. */
const ONE_PIECE = 1 << 20
/**
 * An object has 128 MB: of contents that may be larger than this (bytes) it has few in memory at a time, until they are
 * kept, and lets few wait.
 */
const LARGE_BYTES = 2 << 20
const LARGE_AT_ONCE = 2
const LARGE_WAITING = 8

/**
 * Fetches content for every reader: a crowd that asks for the same cold content is one fetch at the node. The
 * platform lets the requests of one Durable Object share a promise, which those of a Worker can't.
 */
export class ContentFetcher extends DurableObject<Env> implements ContentFetcherRpc {
  readonly #inFlight = new Map<string, Promise<Fetched>>()
  readonly #large = new PQueue({ concurrency: LARGE_AT_ONCE })

  /**
   * Answers `kept`, without asking the node, for what this object put into R2 before; a reader who did not find it
   * there says so with `lost`.
   */
  async fetchRecord(request: ContentRequest, key: string, kind: RecordKind, lost = false): Promise<FetcherAnswer> {
    try {
      const fetching = this.#inFlight.get(key)
      if (!fetching && !lost && this.ctx.storage.kv.get(key)) return { outcome: 'kept' }
      const fetched = await (fetching ?? this.#begin(request, key))
      return fetched === 'not_found' ? { outcome: 'not_found' } : found(recordOf(fetched, kind), fetched.rpcMs)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.cause !== undefined) console.error(error.code, error.cause)
      const { status, code, message, headers } = error
      return { outcome: 'error', status, code, message, headers }
    }
  }

  #begin(request: ContentRequest, key: string): Promise<Fetched> {
    const { maxDataBytes } = readConfig(this.env).chains[request.blockchain]
    const large = request.txids.length * maxDataBytes > LARGE_BYTES
    if (large && this.#large.size >= LARGE_WAITING) {
      throw unavailable('busy', 'Too much content is being fetched right now. Try again in a few seconds.')
    }
    const fetching = Promise.withResolvers<Fetched>()
    const fetchAndKeep = async (): Promise<void> => {
      try {
        const fetched = await this.#fetch(request)
        fetching.resolve(fetched)
        if (fetched !== 'not_found') await this.#keep(key, fetched)
      } catch (error) {
        fetching.reject(error)
      } finally {
        this.#inFlight.delete(key)
      }
    }
    // Until it is kept, a late reader is served from this object's memory.
    this.#inFlight.set(key, fetching.promise)
    this.ctx.waitUntil(large ? this.#large.add(fetchAndKeep) : fetchAndKeep())
    return fetching.promise
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
      this.ctx.storage.kv.put(key, true)
    } catch (error) {
      console.error('content_not_kept', key, error)
    }
  }
}

function recordOf({ content, transactions }: Exclude<Fetched, 'not_found'>, kind: RecordKind): ContentRecord {
  return kind === 'content' ? content : { bytes: concatBytes(transactions), encoding: 'identity' }
}

function found({ bytes, encoding }: ContentRecord, rpcMs: number): FetcherAnswer {
  const body = bytes.length > ONE_PIECE ? new Response(bytes).body : bytes
  return { outcome: 'found', encoding, body, rpcMs }
}
