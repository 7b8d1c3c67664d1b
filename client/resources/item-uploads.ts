import type { StorageTarget } from '../../protocol/chains.ts'
import { readerOf } from '../answers/read-answer.ts'
import { readString } from '../http/parse-json.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type { Item, ItemUpload } from '../types.ts'
import type { CallOptions, KeyedOptions } from './call-options.ts'
import { type MergeOptions, type MergeOutcome, merge, readMergeOutcome } from './merge.ts'

export interface NewItem {
  name: string
  /** Media type. */
  mimetype: string
  blockchain: StorageTarget
  /** Bytes. */
  size: number
  folder?: string | undefined
  /** UUID of the order, chosen by the caller. */
  order?: string | undefined
}

const readUpload = readerOf('CreatedItem')

export type ItemUploads = ReturnType<typeof itemUploadsOf>

/** Items from their first chunk to their merge. */
export function itemUploadsOf(transport: Transport) {
  return {
    /**
     * Creates an item; its chunks, of `chunkSize` bytes, are sent next.
     * @throws {ApiError} 409 if a quota is full, 422
     */
    async create(item: NewItem, { signal, idempotencyKey }: KeyedOptions = {}): Promise<ItemUpload> {
      const { body } = await transport.send({ method: 'POST', path: '/v0/item', json: item, idempotencyKey, signal })
      return readUpload(body)
    },

    /** At most 100 at a time, returned in the same order. */
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

    /**
     * Chunks may be sent again, in any order and in parallel. With the SHA-256 of the bytes the service checks them.
     */
    async sendChunk(
      id: string,
      index: number,
      bytes: Uint8Array<ArrayBuffer>,
      { signal, digest }: CallOptions & { digest?: string | undefined } = {},
    ): Promise<void> {
      await transport.send({
        method: 'PUT',
        path: pathTo`/v0/item/${id}/chunk/${index}`,
        bytes,
        headers: {
          'Content-Type': 'application/octet-stream',
          ...(digest !== undefined && { 'Content-Digest': `sha-256=:${digest}:` }),
        },
        repeatable: true,
        signal,
      })
    },

    /** SHA-256 in hex of each whole chunk that the service has, from the beginning to the first that is missing. */
    async held(id: string, { signal }: CallOptions = {}): Promise<{ chunkSize: number; hashes: string[] }> {
      const answer = await transport.fields({ method: 'GET', path: pathTo`/v0/upload/${id}`, signal })
      return { chunkSize: answer.number('chunkSize'), hashes: answer.list('hashes', readString) }
    },

    /**
     * The merged item. Waits for a long merge.
     * @throws {ApiError} `chunks_missing` with `missing`
     */
    merge: (id: string, options: MergeOptions = {}): Promise<Item> =>
      merge(transport, pathTo`/v0/item/${id}/merge`, options),

    /**
     * At most 100 at a time, in the same order: the item, which may still be `201 Created` while its merge runs, or the
     * error.
     */
    async mergeMany(ids: readonly string[], { signal, index }: MergeOptions = {}): Promise<MergeOutcome[]> {
      const path = '/v0/item/merge'
      const json = { items: ids, index }
      const answer = await transport.fields({ method: 'POST', path, json, repeatable: true, signal })
      const outcomes = answer.list('items', (entry) => readMergeOutcome(entry, path))
      const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]))
      return ids.map((id) => byId.get(id) ?? { id, item: undefined, refusal: undefined })
    },
  }
}
