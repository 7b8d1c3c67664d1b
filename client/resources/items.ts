import { MAX_RETRY_AFTER, parseRetryAfter } from '../../reader/retry-delay.ts'
import { sleep } from '../../reader/sleep.ts'
import { ApiError, HooklineError } from '../http/api-error.ts'
import { type List, listOf } from '../http/pages.ts'
import { Fields, isRecord, readString } from '../http/parse-json.ts'
import type { ApiResponse, Transport } from '../http/transport.ts'
import { readItem, readItemTransaction, readSource } from '../read-answers.ts'
import type { ContentSource, Item, ItemTransaction, StorageTarget } from '../types.ts'

export interface CallOptions {
  signal?: AbortSignal | undefined
}

/** A POST with a key is done once by the service, however often it is sent within 24 hours. */
export interface KeyedOptions extends CallOptions {
  idempotencyKey?: string | undefined
}

export interface NewItem {
  name: string
  /** Media type. */
  mimetype: string
  blockchain: StorageTarget
  /** Bytes. */
  size: number
  folder?: string | undefined
}

/** How an item is to be uploaded: `chunks` chunks of `chunkSize` bytes, the last one shorter where the size says so. */
export interface ItemUpload {
  id: string
  chunkSize: number
  chunks: number
}

/** How one of several merges was answered. */
export interface MergeOutcome {
  id: string
  item: Item | undefined
  refusal: ApiError | undefined
}

export interface ItemFilter {
  /** Beginning of a word of the name. */
  name?: string
  /** `201`, `402`, `202`, `200` or `409`. */
  status?: string
  folder?: string
  sort?: string
}

/** Stored files, from their first chunk to their transactions. */
export function itemsOf(transport: Transport) {
  return {
    /** The caller's items, newest first. */
    list: (filter: ItemFilter = {}, { signal }: CallOptions = {}): List<Item> =>
      listOf(async (cursor) => {
        const answer = await transport.fields({ method: 'GET', path: '/v0/item', query: { ...filter, cursor }, signal })
        return { entries: answer.list('items', readItem), cursor: answer.optionalString('cursor') }
      }),

    async get(id: string, { signal }: CallOptions = {}): Promise<Item> {
      return readItem((await transport.send({ method: 'GET', path: `/v0/item/${id}`, signal })).body)
    },

    /** How many items there are in each state. */
    async counts({ signal }: CallOptions = {}): Promise<Record<string, number>> {
      const answer = await transport.fields({ method: 'GET', path: '/v0/item/counts', signal })
      const counts = answer.object('counts')
      return Object.fromEntries(counts.names().map((name) => [name, counts.number(name)]))
    },

    async create(item: NewItem, { signal, idempotencyKey }: KeyedOptions = {}): Promise<ItemUpload> {
      const { body } = await transport.send({ method: 'POST', path: '/v0/item', json: item, idempotencyKey, signal })
      return readUpload(body)
    },

    /** At most 100 at a time; answered in the order asked. */
    async createMany(items: readonly NewItem[], { signal, idempotencyKey }: KeyedOptions = {}): Promise<ItemUpload[]> {
      const answer = await transport.fields({
        method: 'POST',
        path: '/v0/item',
        json: { items },
        idempotencyKey,
        signal,
      })
      return answer.list('items', readUpload)
    },

    /** May be repeated, in any order, in parallel; with the SHA-256 of the bytes the service checks them. */
    async sendChunk(
      id: string,
      index: number,
      bytes: Uint8Array<ArrayBuffer>,
      { signal, digest }: CallOptions & { digest?: string | undefined } = {},
    ): Promise<void> {
      await transport.send({
        method: 'PUT',
        path: `/v0/item/${id}/chunk/${index}`,
        bytes,
        headers: {
          'Content-Type': 'application/octet-stream',
          ...(digest !== undefined && { 'Content-Digest': `sha-256=:${digest}:` }),
        },
        repeatable: true,
        signal,
      })
    },

    /** The merged item; a merge that takes longer is waited for. @throws {ApiError} `chunks_missing` with `missing`. */
    merge: (id: string, options: CallOptions = {}): Promise<Item> => merge(transport, `/v0/item/${id}/merge`, options),

    /**
     * At most 100 at a time; answered in the order asked: the item, which may still be `201 Created` while its merge
     * goes on, or why it is refused.
     */
    async mergeMany(ids: readonly string[], { signal }: CallOptions = {}): Promise<MergeOutcome[]> {
      const path = '/v0/item/merge'
      const answer = await transport.fields({ method: 'POST', path, json: { items: ids }, repeatable: true, signal })
      const outcomes = answer.list('items', (entry) => readOutcome(entry, path))
      const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]))
      return ids.map((id) => byId.get(id) ?? { id, item: undefined, refusal: undefined })
    },

    /** What is paid for or was seen to be is refused with 409. */
    async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'DELETE', path: `/v0/item/${id}`, signal })
    },

    transactions: (id: string, { signal }: CallOptions = {}): List<ItemTransaction> =>
      listOf(async (cursor) => {
        const path = `/v0/item/${id}/transactions`
        const answer = await transport.fields({ method: 'GET', path, query: { cursor }, signal })
        return { entries: answer.list('transactions', readItemTransaction), cursor: answer.optionalString('cursor') }
      }),

    /** The receipt of a stored item, as the service answers it. */
    async receipt(id: string, { signal }: CallOptions = {}): Promise<unknown> {
      return (await transport.send({ method: 'GET', path: `/v0/item/${id}/receipt`, signal })).body
    },

    /** Faults of `_headers` and `_redirects`, as the service answers them. */
    async problems(id: string, { signal }: CallOptions = {}): Promise<unknown> {
      return (await transport.send({ method: 'GET', path: `/v0/item/${id}/problems`, signal })).body
    },

    /** The txids or CID of a stored item, as the service names them. */
    async source(id: string, { signal }: CallOptions = {}): Promise<ContentSource> {
      return readSource((await transport.send({ method: 'GET', path: `/v0/item/${id}/source`, signal })).body)
    },

    /** Lets a stopped item go on (permission `operate`). */
    async retry(id: string, { signal, idempotencyKey }: KeyedOptions = {}): Promise<Item> {
      const path = `/v0/item/${id}/retry`
      return readItem((await transport.send({ method: 'POST', path, idempotencyKey, signal })).body)
    },
  }
}

/** Most times that a merge is asked for, about two seconds apart. */
const MAX_MERGE_CALLS = 1800

/** Asks for a merge until it is done: repeating it changes nothing. */
export async function merge(transport: Transport, path: string, { signal }: CallOptions): Promise<Item> {
  for (let calls = 0; calls < MAX_MERGE_CALLS; calls++) {
    const { status, body, headers }: ApiResponse = await transport.send({
      method: 'POST',
      path,
      repeatable: true,
      signal,
    })
    if (status !== 202) return readItem(body)
    const seconds = parseRetryAfter(headers.get('Retry-After'), Date.now()) ?? 2
    await sleep(1000 * Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER), signal)
  }
  throw new HooklineError('merge_timeout', 'The service still merges the upload. Run the same again later.')
}

/** Chunks that a refused merge misses. */
export function missingChunks(details: Readonly<Record<string, unknown>>): number[] {
  const { missing } = details
  return Array.isArray(missing) ? missing.filter((index): index is number => typeof index === 'number') : []
}

/** Files and their chunks that a refused merge of a folder misses. */
export function missingFiles(details: Readonly<Record<string, unknown>>): { id: string; chunks: number[] }[] {
  const { missing } = details
  if (!Array.isArray(missing)) return []
  return missing.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry.id !== 'string') return []
    return [{ id: entry.id, chunks: missingChunks({ missing: entry.chunks }) }]
  })
}

function readOutcome(value: unknown, path: string): MergeOutcome {
  const outcome = new Fields(value, 'The merge')
  const id = outcome.string('id')
  if (outcome.has('item')) return { id, item: readItem(outcome.get('item')), refusal: undefined }
  const {
    code = 'refused',
    message = 'The item was not merged.',
    missing,
  } = {
    code: outcome.optionalString('code'),
    message: outcome.optionalString('message'),
    missing: outcome.get('missing'),
  }
  const status = code === 'not_found' ? 404 : 409
  const details = missing === undefined ? {} : { missing }
  return { id, item: undefined, refusal: new ApiError({ status, code, message, method: 'POST', path, details }) }
}

function readUpload(value: unknown): ItemUpload {
  const upload = new Fields(value, 'The upload')
  return { id: readString(upload.get('id')), chunkSize: upload.number('chunkSize'), chunks: upload.number('chunks') }
}
