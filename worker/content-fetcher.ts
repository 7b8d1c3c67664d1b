import { DurableObject } from 'cloudflare:workers'
import { concatBytes } from '../protocol/bytes.ts'
import { type Env, readConfig } from './bindings.ts'
import { decodeStored } from './content/brotli.ts'
import { AppError } from './errors.ts'
import { getRecord, putRecord } from './retrieval/bucket-records.ts'
import { type ContentRecord, contentKey, type RecordKind } from './retrieval/content-record.ts'
import { fetchContent } from './retrieval/fetch-content.ts'
import type { ContentRequest } from './retrieval/parse-request.ts'

type Fetched = { records: Record<RecordKind, ContentRecord>; rpcMs: number } | 'not_found'

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

/**
 * One per content: a crowd that asks for the same cold content is one fetch at the node. The platform lets the
 * requests of one Durable Object share a promise, which those of a Worker can't.
 */
export class ContentFetcher extends DurableObject<Env> {
  #inFlight: Promise<Fetched> | undefined

  async fetchRecord(request: ContentRequest, kind: RecordKind): Promise<FetcherAnswer> {
    try {
      const key = contentKey(request)
      // Somebody before this reader may have finished while it looked into R2 itself.
      const stored = this.#inFlight ? undefined : await getRecord(this.env.BUCKET, kind, key).catch(() => undefined)
      if (stored) return found(stored, 0, 'r2')
      this.#inFlight ??= this.#fetch(request, key)
      const fetched = await this.#inFlight
      return fetched === 'not_found' ? { outcome: 'not_found' } : found(fetched.records[kind], fetched.rpcMs, 'miss')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.cause !== undefined) console.error(error.code, error.cause)
      const { status, code, message, headers } = error
      return { outcome: 'error', status, code, message, headers }
    }
  }

  async #fetch(request: ContentRequest, key: string): Promise<Fetched> {
    try {
      const { chains, maxContentBytes, maxDecodedBytes } = readConfig(this.env)
      const fetched = await fetchContent(chains[request.blockchain], request.txids, maxContentBytes)
      if (!fetched) return this.#settled('not_found')
      const content = concatBytes(fetched.content)
      const records: Record<RecordKind, ContentRecord> = {
        content: { bytes: content, encoding: decodeStored(content, maxDecodedBytes).encoding },
        tx: { bytes: concatBytes(fetched.transactions), encoding: 'identity' },
      }
      this.ctx.waitUntil(this.#keep(key, records))
      return { records, rpcMs: fetched.rpcMs }
    } catch (error) {
      this.#inFlight = undefined
      throw error
    }
  }

  #settled<Value>(value: Value): Value {
    this.#inFlight = undefined
    return value
  }

  async #keep(key: string, records: Record<RecordKind, ContentRecord>): Promise<void> {
    try {
      await putRecord(this.env.BUCKET, 'content', key, records.content)
      await putRecord(this.env.BUCKET, 'tx', key, records.tx)
    } catch (error) {
      console.error('keeping content in R2 failed; it will be fetched again', error)
    } finally {
      // Until here a late reader is served from this object's memory.
      this.#inFlight = undefined
    }
  }
}

function found(record: ContentRecord, rpcMs: number, tier: 'r2' | 'miss'): FetcherAnswer {
  const { body } = new Response(record.bytes)
  return { outcome: 'found', encoding: record.encoding, body, rpcMs, tier }
}
