import { readerOf } from '../answers/read-answer.ts'
import { type List, listOf } from '../http/pages.ts'
import { readString } from '../http/parse-json.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type { Folder, Item, StorageTarget } from '../types.ts'
import type { CallOptions, KeyedOptions } from './call-options.ts'
import { type MergeOptions, merge } from './merge.ts'

const readFolder = readerOf('Folder')

/** A file of a folder on the caller's side. */
export interface KnownFile {
  /** Relative to the folder, with slashes. */
  path: string
  /** Bytes. */
  size: number
  /** SHA-256 of the content, in lowercase hex. */
  sha256: string
}

/** Folders: they group items, and can become a directory. */
export function foldersOf(transport: Transport) {
  return {
    /** The same name in the same parent returns the same folder; `newVersion` creates another if that one is merged. */
    async create(
      folder: {
        name: string
        blockchain: StorageTarget
        parent?: string | undefined
        /** UUID of the order, chosen by the caller. */
        order?: string | undefined
        newVersion?: boolean | undefined
      },
      { signal, idempotencyKey }: KeyedOptions = {},
    ): Promise<{ id: string }> {
      const answer = await transport.fields({
        method: 'POST',
        path: '/v0/folder',
        json: folder,
        idempotencyKey,
        signal,
      })
      return { id: answer.string('id') }
    },

    /** One folder. @throws {ApiError} 404 */
    async get(id: string, { signal }: CallOptions = {}): Promise<Folder> {
      return readFolder((await transport.send({ method: 'GET', path: pathTo`/v0/folder/${id}`, signal })).body)
    },

    /** Renames it, or moves it into another folder or to the top level. Stored content does not change. */
    async update(
      id: string,
      json: { name?: string; parent?: string | null },
      { signal }: CallOptions = {},
    ): Promise<Folder> {
      const path = pathTo`/v0/folder/${id}`
      return readFolder((await transport.send({ method: 'PATCH', path, json, repeatable: true, signal })).body)
    },

    /** Deletes an empty folder. */
    async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'DELETE', path: pathTo`/v0/folder/${id}`, signal })
    },

    /** The folders in `parent`, or those at the top level. */
    list: (parent?: string, { signal }: CallOptions = {}): List<Folder> =>
      listOf(transport, () => ({ path: '/v0/folder', query: { parent }, signal }), 'folders', readFolder),

    /** The directory as one item. Waits for a long merge. */
    merge: (id: string, options: MergeOptions = {}): Promise<Item> =>
      merge(transport, pathTo`/v0/folder/${id}/merge`, options),

    /**
     * Links those files that the caller's own stored items contain; they are neither sent nor paid. Resolves to the
     * paths of the linked files.
     */
    async known(id: string, files: readonly KnownFile[], { signal }: CallOptions = {}): Promise<string[]> {
      const path = pathTo`/v0/folder/${id}/known`
      const answer = await transport.fields({ method: 'POST', path, json: { files }, repeatable: true, signal })
      return answer.list('known', readString)
    },
  }
}
