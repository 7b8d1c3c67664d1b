import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../protocol/bytes.ts'
import { readerOf } from './answers/read-answer.ts'
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'
import type { FolderHandle } from './folder/folder-files.ts'
import type { PutFolderOptions, PutFolderResult } from './folder/put-folder.ts'
import { type GetOptions, type GetSource, getContent, type VerifiedContent } from './get.ts'
import { ApiError } from './http/api-error.ts'
import { accountOf, keysOf } from './resources/account.ts'
import type { CallOptions } from './resources/call-options.ts'
import { type EventOptions, readEvents } from './resources/events.ts'
import { foldersOf } from './resources/folders.ts'
import { itemsOf } from './resources/items.ts'
import { ordersOf } from './resources/orders.ts'
import { paymentsOf, withdrawalsOf } from './resources/payments.ts'
import { domainsOf, sitesOf } from './resources/sites.ts'
import type { Hasher } from './store/byte-source.ts'
import { inspectOrder, type PutOptions, type PutResult, type PutTools, put } from './store/put.ts'
import type { PutFile } from './store/put-plan.ts'
import { type WatchOptions, watchItems } from './store/watch.ts'
import type { StateStore } from './stores/state-store.ts'
import { defaultStateStore } from './stores/stores.ts'
import type { Estimate, Item, Prices, ServiceEvent, StorageTarget, Target } from './types.ts'

export interface ClientOptions extends ConnectionOptions {
  /**
   * Stores what is known of orders, so that none is paid twice. Default: the files of the command, else IndexedDB, else
   * `localStorage`, else memory.
   */
  state?: StateStore
  /** A faster SHA-256, if the runtime has an incremental one. */
  createSha256?: () => Hasher
}

export type Client = ReturnType<typeof createClient>

/**
 * A client of one API.
 * @throws {HooklineError} `invalid_option` if the address is no URL
 */
export function createClient(options: ClientOptions) {
  const connection = openConnection(options)
  const { api, transport } = connection
  const resources = resourcesOf(connection)
  const prices = pricesOf(connection)
  const following = followingOf(connection, resources)
  return {
    api,
    ...signInOf(connection),
    ...storingOf({ ...resources, ...prices, ...following, ...orderTools(connection, resources, options) }),
    ...readingOf(connection, resources),
    ...following,
    ...prices,
    /** Requests the payment of items. The balance pays only if `maxFromBalance` is set. */
    pay: resources.payments.request,
    ...resources,
    /** Calls any other endpoint with the same credentials, errors and retries. */
    request: transport.send.bind(transport),
  }
}

type Resources = ReturnType<typeof resourcesOf>

function resourcesOf({ transport }: Connection) {
  return {
    items: itemsOf(transport),
    folders: foldersOf(transport),
    orders: ordersOf(transport),
    payments: paymentsOf(transport),
    account: accountOf(transport),
    withdrawals: withdrawalsOf(transport),
    keys: keysOf(transport),
    sites: sitesOf(transport),
    domains: domainsOf(transport),
  }
}

function signInOf({ session }: Connection) {
  return {
    /**
     * Logs in with a password.
     * @throws {HooklineError} `email_not_verified`, `identity_not_verified`; {ApiError}
     */
    login: (email: string, password: string, { signal }: CallOptions = {}) => session.logIn(email, password, signal),

    /** Ends the login, here and at the service. */
    logout: ({ signal }: CallOptions = {}) => session.logOut(signal),
  }
}

function pricesOf({ transport }: Connection) {
  return {
    /** The most that files would cost now: each one separately, or all as one `directory`. */
    async estimate(
      order: {
        blockchain: StorageTarget
        files: readonly { size: number; mimetype: string }[]
        directory?: boolean
        index?: boolean | undefined
      },
      { signal }: CallOptions = {},
    ): Promise<Estimate> {
      // The request creates nothing, so it is safe to repeat.
      const call = { method: 'POST', path: '/v0/estimate', json: order, repeatable: true, signal } as const
      return readerOf('Estimate')((await transport.send(call)).body)
    },

    /** What one coin of each chain is worth in other currencies: approximate, and empty where the service has no prices. */
    async prices({ signal }: CallOptions = {}): Promise<Prices> {
      const call = { method: 'GET', path: '/v0/prices', auth: false, signal } as const
      return readerOf('Prices')((await transport.send(call)).body)
    },

    /** The storage targets, and which of them are available now. */
    async targets({ signal }: CallOptions = {}): Promise<Target[]> {
      const answer = await transport.fields({ method: 'GET', path: '/v0/targets', auth: false, signal })
      return answer.list('targets', readerOf('Target'))
    },
  }
}

function followingOf({ transport, sleep }: Connection, { items }: Resources) {
  const events = (options: EventOptions = {}): AsyncIterable<ServiceEvent> =>
    readEvents(transport, { sleep, ...options })
  return {
    /** Events of the account from now on, or after `lastEventId`. Reconnects when the stream ends. */
    events,

    /** Items each time they change. Ends when all are stored or stopped. */
    watch: (ids: string | readonly string[], options: WatchOptions = {}): AsyncIterable<Item> =>
      watchItems(items, typeof ids === 'string' ? [ids] : ids, { sleep, ...options, events }),
  }
}

function storingOf(tools: PutTools) {
  return {
    /**
     * Stores one or more files: uploads, merges, requests the payment and, with `wait`, waits until they are stored.
     * The same call again resumes, and pays once.
     */
    put: (files: PutFile | readonly PutFile[], options: PutOptions): Promise<PutResult> =>
      put(tools, isOne(files) ? [files] : files, options),

    /**
     * Stores a folder: a path on this machine, or a folder that a person opened in a page. On IPFS it becomes one
     * directory. On a chain it becomes one website if it has a first page, such as `index.html`, else each file is an item. `as` overrides
     * that. `.git`, `node_modules`, names that begin with a dot and what `.hooklineignore` matches are left out and
     * listed in `skipped`.
     */
    async putFolder(folder: string | FolderHandle, options: PutFolderOptions): Promise<PutFolderResult> {
      const { putFolder } = await import('./folder/put-folder.ts')
      return putFolder((files, own) => put(tools, files, own), folder, options)
    },

    /** What a `put` of the same files would resume. Sends no request that changes anything. */
    inspect: (files: PutFile | readonly PutFile[], options: PutOptions) =>
      inspectOrder(tools, isOne(files) ? [files] : files, options),
  }
}

/** What identifies an order. */
function orderTools({ api, credentials, now }: Connection, { account }: Resources, options: ClientOptions) {
  return {
    state: options.state ?? defaultStateStore(),
    createSha256: options.createSha256,
    now,
    async owner(signal: AbortSignal | undefined) {
      const { id, quotas } = await account.get({ signal }).catch(async (error: unknown) => {
        // A key may lack the scope to read the account; then a hash of the key identifies it.
        if (!(error instanceof ApiError) || error.status !== 403) throw error
        const key = new TextEncoder().encode(await credentials.authorization(signal))
        return { id: toHex(sha256(key)), quotas: undefined }
      })
      return { identity: `${api.href} ${id}`, quotas }
    },
  }
}

function readingOf({ api, fetch }: Connection, { items }: Resources) {
  return {
    /** Verified content: by txids or CID, where no server is trusted, or by the id of a stored item. */
    get: (source: GetSource, options: GetOptions = {}): Promise<VerifiedContent> =>
      getContent({ api: api.href.replace(/\/+$/, ''), items, fetch }, source, options),
  }
}

function isOne(files: PutFile | readonly PutFile[]): files is PutFile {
  return !Array.isArray(files)
}
