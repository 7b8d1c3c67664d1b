import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../protocol/bytes.ts'
import { readerOf } from './answers/read-answer.ts'
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'
import type { PutFolderOptions, PutFolderResult } from './folder/put-folder.ts'
import { type GetOptions, type GetSource, getContent, type VerifiedContent } from './get.ts'
import { ApiError } from './http/api-error.ts'
import type { Hasher } from './put/byte-source.ts'
import { inspectOrder, type PutOptions, type PutResult, type PutTools, put } from './put/put.ts'
import type { PutFile } from './put/put-plan.ts'
import { accountOf, keysOf } from './resources/account.ts'
import type { CallOptions } from './resources/call-options.ts'
import { type EventOptions, readEvents } from './resources/events.ts'
import { foldersOf } from './resources/folders.ts'
import { itemsOf } from './resources/items.ts'
import { ordersOf } from './resources/orders.ts'
import { paymentsOf, withdrawalsOf } from './resources/payments.ts'
import { domainsOf, sitesOf } from './resources/sites.ts'
import type { StateStore } from './stores/state-store.ts'
import { defaultStateStore } from './stores/stores.ts'
import type { Estimate, Item, ServiceEvent, StorageTarget, Target } from './types.ts'
import { type WatchOptions, watchItems } from './watch.ts'

export interface ClientOptions extends ConnectionOptions {
  /**
   * Keeps what is known of orders, so that none is paid for twice. Left out: files where the command keeps its own, else
   * IndexedDB, else `localStorage`; memory where there is none of them.
   */
  state?: StateStore
  /** A faster SHA-256, where the runtime has one that takes pieces. */
  createSha256?: () => Hasher
}

export type Client = ReturnType<typeof createClient>

/** A client of one API. @throws {HooklineError} `invalid_option` for an address that is none. */
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
    /** Asks what items cost; pays from the balance only where `maxFromBalance` says so. */
    pay: resources.payments.request,
    ...resources,
    /** Any other endpoint: the same credentials, errors and retries. */
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
    /** Signs in with a password. @throws {HooklineError} `email_not_verified`, `identity_not_verified`; {ApiError} */
    login: (email: string, password: string, { signal }: CallOptions = {}) => session.logIn(email, password, signal),

    /** Ends the sign-in, here and at the service. */
    logout: ({ signal }: CallOptions = {}) => session.logOut(signal),
  }
}

function pricesOf({ transport }: Connection) {
  return {
    /** What files would cost now, at most: each by itself, or all as one `directory`. */
    async estimate(
      order: {
        blockchain: StorageTarget
        files: readonly { size: number; mimetype: string }[]
        directory?: boolean
        index?: boolean | undefined
      },
      { signal }: CallOptions = {},
    ): Promise<Estimate> {
      // It creates nothing, so it may be repeated.
      const call = { method: 'POST', path: '/v0/estimate', json: order, repeatable: true, signal } as const
      return readerOf('Estimate')((await transport.send(call)).body)
    },

    /** The storage targets, and which of them can be had now. */
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
    /** Events of the account from now on, or behind `lastEventId`; goes on by itself when the stream ends. */
    events,

    /** Items as they change; ends when all are stored or stopped. */
    watch: (ids: string | readonly string[], options: WatchOptions = {}): AsyncIterable<Item> =>
      watchItems(items, typeof ids === 'string' ? [ids] : ids, { sleep, ...options, events }),
  }
}

function storingOf(tools: PutTools) {
  return {
    /**
     * Stores a file, or many: uploads, merges, asks for the payment and, with `wait`, waits until it is stored.
     * The same call again goes on where it was, and pays once.
     */
    put: (files: PutFile | readonly PutFile[], options: PutOptions): Promise<PutResult> =>
      put(tools, isOne(files) ? [files] : files, options),

    /**
     * Stores a folder: a path of this machine, or what a person opened in a page. On IPFS it becomes one directory, and on a
     * chain one website where it has an `index.html`, else each file is an item; `as` says which. `.git`, `node_modules`, names that begin with a dot and what `.hooklineignore` names are
     * left out, and named in `skipped`.
     */
    async putFolder(folder: string | FileSystemDirectoryHandle, options: PutFolderOptions): Promise<PutFolderResult> {
      const { putFolder } = await import('./folder/put-folder.ts')
      return putFolder((files, own) => put(tools, files, own), folder, options)
    },

    /** What a `put` of the same files would go on with, without a request that creates or moves. */
    inspect: (files: PutFile | readonly PutFile[], options: PutOptions) =>
      inspectOrder(tools, isOne(files) ? [files] : files, options),
  }
}

/** What an order is kept by. */
function orderTools({ api, credentials, now }: Connection, { account }: Resources, options: ClientOptions) {
  return {
    state: options.state ?? defaultStateStore(),
    createSha256: options.createSha256,
    now,
    async owner(signal: AbortSignal | undefined) {
      const { id, quotas } = await account.get({ signal }).catch(async (error: unknown) => {
        // A key may lack the scope to read the account: then the key stands for it.
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
    /** Verified content: by txids or CID, which no server is believed about, or by the id of a stored item. */
    get: (source: GetSource, options: GetOptions = {}): Promise<VerifiedContent> =>
      getContent({ api: api.href.replace(/\/+$/, ''), items, fetch }, source, options),
  }
}

function isOne(files: PutFile | readonly PutFile[]): files is PutFile {
  return !Array.isArray(files)
}
