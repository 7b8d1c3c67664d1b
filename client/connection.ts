import { sleep } from '../reader/sleep.ts'
import { keyCredentials, memoryTokenStore, Session, type TokenStore } from './auth/session.ts'
import { HooklineError } from './http/api-error.ts'
import { type Credentials, type RequestLog, Transport, type TransportOptions } from './http/transport.ts'

export interface ConnectionOptions {
  /** Address of the API, such as `https://api.example`. Nothing is sent to any other host. */
  api: string | URL
  /** An API key, or a function that returns one. Without a key and `tokens` only public endpoints work. */
  key?: string | (() => string | Promise<string>)
  /** Stores the refresh token of a login (`login`). Default: in memory. */
  tokens?: TokenStore
  /**
   * Replaces the refresh token at each renewal, so that a stolen one ends the session. Use it with a `tokens` store
   * that is persistent and shared by everybody who uses the login, because the old token soon stops working. Default:
   * `false`.
   */
  rotate?: boolean | undefined
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Allows keys, passwords and tokens over plain http to other machines, where anybody on the way can read them. */
  allowHttp?: boolean | undefined
  /** Milliseconds until a response begins. Default: 60,000. */
  timeout?: number
  /** Retries of requests that are safe to repeat. Default: 4; 0 for none. */
  retries?: number
  /** Sent with every request. */
  headers?: Record<string, string>
  /** Called for every attempt; the log entry never contains credentials. */
  onRequest?(entry: RequestLog): void
  /** The clock (ms since 1970), the random number (0 up to 1) and the wait, for tests. */
  now?: () => number
  random?: () => number
  sleep?: typeof sleep
}

/** One API, and the credentials for it. */
export interface Connection extends Required<Pick<ConnectionOptions, 'now' | 'sleep' | 'fetch'>> {
  api: URL
  transport: Transport
  /** A login, whose credentials are used when there is no key. */
  session: Session
  credentials: Credentials
}

/**
 * A connection to one API; no request is sent yet.
 * @throws {HooklineError} `invalid_option` if the address is no URL
 */
export function openConnection(options: ConnectionOptions): Connection {
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
    allowHttp: options.allowHttp ?? false,
    onRequest: options.onRequest,
    ...(options.retries !== undefined && { retries: parseRetries(options.retries) }),
  }
  const session = new Session(
    new Transport(transportOptions),
    options.tokens ?? memoryTokenStore(),
    now,
    options.rotate,
  )
  const credentials = options.key === undefined ? session : keyCredentials(options.key)
  const { api, fetch: send, sleep: wait } = transportOptions
  return {
    api,
    transport: new Transport(transportOptions, credentials),
    session,
    credentials,
    now,
    sleep: wait,
    fetch: send,
  }
}

function parseRetries(retries: number): number {
  if (Number.isInteger(retries) && retries >= 0 && retries <= 100) return retries
  throw new HooklineError('invalid_option', `retries must be a number from 0 to 100, not ${retries}.`)
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
