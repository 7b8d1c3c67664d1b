import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../protocol/bytes.ts'
import { sleep } from '../reader/sleep.ts'
import { keyCredentials, memoryTokenStore, Session, type TokenStore } from './auth/session.ts'
import { type GetOptions, type GetSource, getContent, type VerifiedContent } from './get.ts'
import { ApiError, HooklineError } from './http/api-error.ts'
import { type RequestLog, Transport, type TransportOptions } from './http/transport.ts'
import type { Hasher } from './put/byte-source.ts'
import { inspectOrder, type PutOptions, type PutResult, type PutTools, put } from './put/put.ts'
import type { PutFile } from './put/put-plan.ts'
import { memoryStateStore, type StateStore } from './put/state-store.ts'
import { readEstimate, readTarget } from './read-answers.ts'
import { accountOf, keysOf } from './resources/account.ts'
import { type EventOptions, readEvents } from './resources/events.ts'
import { foldersOf } from './resources/folders.ts'
import { type CallOptions, itemsOf } from './resources/items.ts'
import { paymentsOf, withdrawalsOf } from './resources/payments.ts'
import { domainsOf, sitesOf } from './resources/sites.ts'
import type { Estimate, Item, ServiceEvent, StorageTarget, Target } from './types.ts'
import { type WatchOptions, watchItems } from './watch.ts'

export interface ClientOptions {
  /** Address of the API, such as `https://api.example`. Nothing is sent to any other host. */
  api: string | URL
  /** An API key, or a function that returns one. Without key and `tokens` only what is public can be asked for. */
  key?: string | (() => string | Promise<string>)
  /** Keeps the refresh token of a sign-in (`login`); in memory where it is left out. */
  tokens?: TokenStore
  /** Keeps what is known of unfinished orders; in memory where it is left out. */
  state?: StateStore
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds that the service may be silent: 60,000 where it is left out. */
  timeout?: number
  /** Sent with every request. */
  headers?: Record<string, string>
  /** Told of every try, without credentials. */
  onRequest?(entry: RequestLog): void
  /** A faster SHA-256, where the runtime has one that takes pieces. */
  createSha256?: () => Hasher
  /** Milliseconds since 1970, a number from 0 up to 1, and waiting: for tests. */
  now?: () => number
  random?: () => number
  sleep?: typeof sleep
}

export type Client = ReturnType<typeof createClient>

/** A client of one API. @throws {HooklineError} `invalid_option` for an address that is none. */
export function createClient(options: ClientOptions) {
  const now = options.now ?? Date.now
  const transportOptions: TransportOptions = {
    api: parseApi(options.api),
    // Wrapped: browsers refuse a fetch that is called as a method.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    now,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
    timeout: options.timeout ?? 60_000,
    headers: options.headers ?? {},
    onRequest: options.onRequest,
  }
  const session = new Session(new Transport(transportOptions), options.tokens ?? memoryTokenStore(), now)
  const credentials = options.key === undefined ? session : keyCredentials(options.key)
  const transport = new Transport(transportOptions, credentials)
  const items = itemsOf(transport)
  const folders = foldersOf(transport)
  const payments = paymentsOf(transport)
  const account = accountOf(transport)

  const estimate = async (
    order: { blockchain: StorageTarget; files: readonly { size: number; mimetype: string }[] },
    { signal }: CallOptions = {},
  ): Promise<Estimate> => {
    // It creates nothing, so it may be repeated.
    const call = { method: 'POST', path: '/v0/estimate', json: order, repeatable: true, signal } as const
    return readEstimate((await transport.send(call)).body)
  }

  const events = (eventOptions: EventOptions = {}): AsyncIterable<ServiceEvent> =>
    readEvents(transport, { sleep: transportOptions.sleep, ...eventOptions })

  const watch = (ids: string | readonly string[], watching: WatchOptions = {}): AsyncIterable<Item> =>
    watchItems(items, typeof ids === 'string' ? [ids] : ids, { sleep: transportOptions.sleep, ...watching, events })

  const putTools: PutTools = {
    items,
    folders,
    payments,
    estimate,
    watch,
    state: options.state ?? memoryStateStore(),
    createSha256: options.createSha256,
    now,
    async identity(signal) {
      const owner = await account.get({ signal }).then(
        ({ id }) => id,
        async (error) => {
          // A key may lack the scope to read the account: then the key stands for it.
          if (!(error instanceof ApiError) || error.status !== 403) throw error
          return toHex(sha256(new TextEncoder().encode(await credentials.authorization(signal))))
        },
      )
      return `${transportOptions.api.href} ${owner}`
    },
  }

  return {
    api: transportOptions.api,

    /** Signs in with a password. @throws {HooklineError} `email_not_verified`, `identity_not_verified`; {ApiError} */
    login: (email: string, password: string, { signal }: CallOptions = {}) => session.logIn(email, password, signal),

    /** Ends the sign-in, here and at the service. */
    logout: ({ signal }: CallOptions = {}) => session.logOut(signal),

    /**
     * Stores a file, or many: uploads, merges, asks for the payment and, with `wait`, waits until it is stored.
     * The same call again goes on where it was, and pays once.
     */
    put: (files: PutFile | readonly PutFile[], putOptions: PutOptions): Promise<PutResult> =>
      put(putTools, isOne(files) ? [files] : files, putOptions),

    /** What a `put` of the same files would go on with, without a request that creates or moves. */
    inspect: (files: PutFile | readonly PutFile[], putOptions: PutOptions) =>
      inspectOrder(putTools, isOne(files) ? [files] : files, putOptions),

    /** Verified content: by txids or CID, which no server is believed about, or by the id of a stored item. */
    get: (source: GetSource, getOptions: GetOptions = {}): Promise<VerifiedContent> =>
      getContent(
        { api: transportOptions.api.href.replace(/\/+$/, ''), items, fetch: transportOptions.fetch },
        source,
        getOptions,
      ),

    /** Items as they change; ends when all are stored or stopped. */
    watch,

    /** Asks what items cost, and pays where the balance covers the whole. */
    pay: payments.request,

    /** What files would cost now, at most. */
    estimate,

    /** The storage targets, and which of them can be had now. */
    async targets({ signal }: CallOptions = {}): Promise<Target[]> {
      const answer = await transport.fields({ method: 'GET', path: '/v0/targets', auth: false, signal })
      return answer.list('targets', readTarget)
    },

    /** Events of the account from now on, or behind `lastEventId`; goes on by itself when the stream ends. */
    events,

    items,
    folders,
    payments,
    account,
    withdrawals: withdrawalsOf(transport),
    keys: keysOf(transport),
    sites: sitesOf(transport),
    domains: domainsOf(transport),

    /** Any other endpoint: the same credentials, errors and retries. */
    request: transport.send.bind(transport),
  }
}

function isOne(files: PutFile | readonly PutFile[]): files is PutFile {
  return !Array.isArray(files)
}

function parseApi(api: string | URL): URL {
  if (!URL.canParse(api)) throw new HooklineError('invalid_option', `api must be an address, not ${String(api)}.`)
  const url = new URL(api)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new HooklineError('invalid_option', `api must begin with https:// or http://, not ${url.protocol}//.`)
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new HooklineError('invalid_option', 'api must have no user, query or fragment.')
  }
  return url
}
