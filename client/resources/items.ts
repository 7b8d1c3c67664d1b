import { readerOf } from '../answers/read-answer.ts'
import { type List, listOf } from '../http/pages.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import { STATUS_OF_STATE } from '../item-state.ts'
import type { Item, KnownItem, StorageTarget } from '../types.ts'
import type { CallOptions, KeyedOptions } from './call-options.ts'
import { itemDetailsOf } from './item-details.ts'
import { itemUploadsOf } from './item-uploads.ts'

export interface ItemFilter {
  /** Prefix of a word of the name. */
  name?: string
  state?: keyof typeof STATUS_OF_STATE
  /** The number of a state, as the API has it: `201`, `402`, `202`, `200` or `409`. */
  status?: string
  /** Id of a folder, or `none`. */
  folder?: string
  /** UUID of an order. */
  order?: string
  /** Id of a merged folder, whose files are listed. */
  directory?: string
  blockchain?: StorageTarget
  /** By the media type; a `website` is a merged folder or an HTML page. */
  kind?: 'picture' | 'film' | 'sound' | 'text' | 'website' | 'other'
  /** Only hidden items, which are else left out. */
  hidden?: 'true'
  /** A minus reverses the order. */
  sort?: `${'' | '-'}${'name' | 'size' | 'status' | 'created'}`
}

/** At most 2,000 files, and a folder, on the caller's side. */
export interface OwnContent {
  blockchain: StorageTarget
  files?: readonly { size: number; sha256: string; mimetype: string }[]
  manifest?: string
}

const readItem = readerOf('Item')

/** Stored files, from their first chunk to their transactions. */
export function itemsOf(transport: Transport) {
  return {
    /** The caller's items, newest first. */
    list: ({ state, ...filter }: ItemFilter = {}, { signal }: CallOptions = {}): List<Item> =>
      listOf(
        transport,
        () => ({ path: '/v0/item', query: { ...(state && { status: STATUS_OF_STATE[state] }), ...filter }, signal }),
        'items',
        readItem,
      ),

    /** One item; sizes in bytes, times in Unix seconds. @throws {ApiError} 404 */
    async get(id: string, { signal }: CallOptions = {}): Promise<Item> {
      return readItem((await transport.send({ method: 'GET', path: pathTo`/v0/item/${id}`, signal })).body)
    },

    /**
     * The caller's own items with these files (bytes, and SHA-256 as hex), and the merged folder of `manifest`: the
     * SHA-256 of its `folderManifest`. Content that is missing in the result is not known.
     */
    async known(content: OwnContent, { signal }: CallOptions = {}): Promise<KnownItem[]> {
      const call = { method: 'POST', path: '/v0/item/known', json: content, repeatable: true, signal } as const
      return (await transport.fields(call)).list('known', readerOf('KnownItem'))
    },

    /** The number of items in each state. */
    async counts({ signal }: CallOptions = {}): Promise<Record<string, number>> {
      const answer = await transport.fields({ method: 'GET', path: '/v0/item/counts', signal })
      const counts = answer.object('counts')
      return Object.fromEntries(counts.names().map((name) => [name, counts.number(name)]))
    },

    /**
     * Renames it, moves it into another folder or to the top level, corrects its media type, or leaves it out of lists. Stored
     * bytes do not change.
     */
    async update(
      id: string,
      json: { name?: string; folder?: string | null; mimetype?: string; hidden?: boolean },
      { signal }: CallOptions = {},
    ): Promise<Item> {
      const path = pathTo`/v0/item/${id}`
      return readItem((await transport.send({ method: 'PATCH', path, json, repeatable: true, signal })).body)
    },

    /**
     * Takes an item on IPFS down, for good: its addresses here answer 410. Others who have its CID may go on serving it.
     * @throws {ApiError} 409 if it is on a chain, not stored, shown by a site or reported; 404
     */
    async takeDown(id: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'POST', path: pathTo`/v0/item/${id}/take-down`, signal })
    },

    /** Fails with 409 if the item is paid or if a payment for it was seen. */
    async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'DELETE', path: pathTo`/v0/item/${id}`, signal })
    },

    /** Lets a stopped item continue (permission `operate`). */
    async retry(id: string, { signal, idempotencyKey }: KeyedOptions = {}): Promise<Item> {
      const path = pathTo`/v0/item/${id}/retry`
      return readItem((await transport.send({ method: 'POST', path, idempotencyKey, signal })).body)
    },

    ...itemUploadsOf(transport),
    ...itemDetailsOf(transport),
  }
}
