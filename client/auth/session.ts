import { HooklineError } from '../http/api-error.ts'
import { isRecord } from '../http/parse-json.ts'
import type { Credentials, Transport } from '../http/transport.ts'

/** Stores the refresh token of a login between runs. A store belongs to one API only. */
export interface TokenStore {
  load(): Promise<string | undefined>
  /** `undefined` deletes the stored token. */
  save(refreshToken: string | undefined): Promise<void>
}

/** A token store that lasts for one run. */
export function memoryTokenStore(refreshToken?: string): TokenStore {
  let kept = refreshToken
  return {
    load: async () => kept,
    save: async (token) => {
      kept = token
    },
  }
}

/** Access tokens are renewed this many ms before they expire. */
const MARGIN_MS = 30_000

/** The access token of a login, renewed before it expires and when the service rejects it. */
export class AccessTokens implements Credentials {
  readonly #ask: (signal: AbortSignal | undefined) => Promise<string | undefined>
  readonly #now: () => number
  readonly #margin: number
  #access: { token: string; expires: number } | undefined
  #renewing: Promise<boolean> | undefined

  /** `ask` resolves to another token, or to `undefined` if the login has ended. `margin` is in ms. */
  constructor(
    ask: (signal: AbortSignal | undefined) => Promise<string | undefined>,
    now: () => number,
    margin = MARGIN_MS,
  ) {
    this.#ask = ask
    this.#now = now
    this.#margin = margin
  }

  keep(token: string | undefined): void {
    const expiry = token === undefined ? undefined : expiryOf(token)
    this.#access =
      token === undefined ? undefined : { token, expires: expiry === undefined ? this.#now() + 60_000 : expiry * 1000 }
  }

  async authorization(signal: AbortSignal | undefined): Promise<string | undefined> {
    if (!this.#access || this.#access.expires - this.#margin < this.#now()) await this.renew(signal)
    return this.#access && `Bearer ${this.#access.token}`
  }

  renew(signal: AbortSignal | undefined): Promise<boolean> {
    // Requests side by side wait for one renewal.
    this.#renewing ??= this.#renew(signal).finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renew(signal: AbortSignal | undefined): Promise<boolean> {
    this.#access = undefined
    const token = await this.#ask(signal)
    this.keep(token)
    return token !== undefined
  }
}

/** A login: the stored refresh token, and the access tokens that are made from it. */
export class Session extends AccessTokens {
  readonly #transport: Transport
  readonly #store: TokenStore
  readonly #rotate: boolean

  constructor(transport: Transport, store: TokenStore, now: () => number, rotate = false) {
    super((signal) => this.#renewed(signal), now)
    this.#rotate = rotate
    this.#transport = transport
    this.#store = store
  }

  async logIn(email: string, password: string, signal?: AbortSignal): Promise<void> {
    // Shows that the account is known here, also when it has expired.
    const earlier = await this.#store.load()
    const { status, body } = await this.#transport.send({
      method: 'POST',
      path: '/v0/token',
      json: { email, password },
      auth: false,
      ...(earlier && { headers: { 'Hookline-Device': earlier } }),
      signal,
    })
    if (status !== 200 || !isRecord(body)) throw pending(status, body)
    const { accessToken, refreshToken } = body
    if (typeof accessToken !== 'string' || typeof refreshToken !== 'string') {
      throw new HooklineError('unexpected_answer', 'The service accepted the login but sent no tokens.')
    }
    this.keep(accessToken)
    await this.#store.save(refreshToken)
  }

  /** Revokes the refresh token and deletes it here, even if the service returns an error. */
  async logOut(signal?: AbortSignal): Promise<void> {
    const token = await this.#store.load()
    const authorization = token === undefined ? undefined : await this.authorization(signal)
    if (authorization !== undefined) {
      await this.#transport.send({
        method: 'DELETE',
        path: '/v0/token',
        json: { token },
        auth: false,
        headers: { Authorization: authorization },
        accept: [400, 401],
        signal,
      })
    }
    this.keep(undefined)
    await this.#store.save(undefined)
  }

  async #renewed(signal: AbortSignal | undefined): Promise<string | undefined> {
    const token = await this.#store.load()
    if (token === undefined) return undefined
    const { status, body } = await this.#transport.send({
      method: 'PUT',
      path: '/v0/token',
      json: this.#rotate ? { token, rotate: true } : { token },
      auth: false,
      repeatable: true,
      accept: [401],
      signal,
    })
    if (status === 401 || !isRecord(body) || typeof body.accessToken !== 'string') return undefined
    // The service returns a new one if it rotates, or if the old one was signed with an older key.
    if (typeof body.refreshToken === 'string') {
      // A new token that cannot be stored is never used, and then the old one stays valid.
      await this.#store.save(body.refreshToken).catch((error: unknown) => {
        if (!this.#rotate) throw error
      })
    }
    return body.accessToken
  }
}

/** An API key, which never changes. */
export function keyCredentials(key: string | (() => string | Promise<string>)): Credentials {
  return {
    async authorization() {
      const text = typeof key === 'string' ? key : await key()
      // RFC 9110, 5.5: the characters that a header allows. Otherwise `fetch` would fail like a broken network.
      if (!/^[\x21-\x7e]+$/.test(text))
        throw new HooklineError(
          'invalid_option',
          'The API key has characters that a header cannot carry. Copy it again.',
        )
      return `Bearer ${text}`
    },
    renew: async () => false,
  }
}

/**
 * The claims of a JSON Web Token (RFC 7519). Only the service checks its signature.
 * @internal
 */
export function claimsOf(token: string): Record<string, unknown> | undefined {
  try {
    const payload = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const claims: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(payload, (char) => char.charCodeAt(0))))
    return isRecord(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

/**
 * When a token ends, in Unix seconds (RFC 7519, 4.1.4).
 * @internal
 */
export function expiryOf(token: string): number | undefined {
  const exp = claimsOf(token)?.exp
  return typeof exp === 'number' ? exp : undefined
}

/** Status 201 and 202 of a login: accounts that are not verified yet. */
function pending(status: number, body: unknown): HooklineError {
  const message = isRecord(body) && typeof body.message === 'string' ? body.message : 'The account is not verified yet.'
  return new HooklineError(status === 202 ? 'email_not_verified' : 'identity_not_verified', message)
}
