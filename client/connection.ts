import { sleep } from '../reader/sleep.ts'
import { keyCredentials, memoryTokenStore, Session, type TokenStore } from './auth/session.ts'
import { HooklineError } from './http/api-error.ts'
import { type Credentials, type RequestLog, Transport, type TransportOptions } from './http/transport.ts'

export interface ConnectionOptions {
  /** Address of the API, such as `https://api.example`. Nothing is sent to any other host. */
  api: string | URL
  /** An API key, or a function that returns one. Without key and `tokens` only what is public can be asked for. */
  key?: string | (() => string | Promise<string>)
  /** Keeps the refresh token of a sign-in (`login`); in memory where it is left out. */
  tokens?: TokenStore
  /**
   * Has the refresh token replaced at each renewal, so that a stolen one ends the session. For `tokens` that last and that
   * everybody who uses the sign-in shares: the one before ends soon. `false` where it is left out.
   */
  rotate?: boolean | undefined
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Sends keys, passwords and tokens by plain http to other machines too, where anybody on the way can read them. */
  allowHttp?: boolean | undefined
  /** Milliseconds until an answer begins: 60,000 where it is left out. */
  timeout?: number
  /** Tries after the first one of what may be repeated; 4 where it is left out, 0 for none. */
  retries?: number
  /** Sent with every request. */
  headers?: Record<string, string>
  /** Told of every try, without credentials. */
  onRequest?(entry: RequestLog): void
  /** Milliseconds since 1970, a number from 0 up to 1, and waiting: for tests. */
  now?: () => number
  random?: () => number
  sleep?: typeof sleep
}

/** A way to one API, and who asks. */
export interface Connection extends Required<Pick<ConnectionOptions, 'now' | 'sleep' | 'fetch'>> {
  api: URL
  transport: Transport
  /** A sign-in, whose credentials are used where no key is given. */
  session: Session
  credentials: Credentials
}

/** Sends nothing yet. @throws {HooklineError} `invalid_option` for an address that is none */
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
