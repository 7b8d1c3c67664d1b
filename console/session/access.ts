import { batch, computed, signal } from '@preact/signals'
import { AccessTokens } from '../../client/auth/session.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { isRecord } from '../../client/http/parse-json.ts'
import { type Credentials, Transport } from '../../client/http/transport.ts'
import { options } from '../api/connection.ts'
import { type Claims, readClaims } from './read-claims.ts'

/** A token is renewed this many ms before it expires, so that it cannot expire during a request. */
const MARGIN_MS = 5_000

/** The lifetime of a session of the console (docs/behaviour/tokens.md), minus the possible difference of clocks. */
const SESSION_MS = 86_400_000 - 60_000

/** The path of the session: its refresh token is a cookie that no script can read. */
const SESSION = '/console/session'

/** Only for requests of the session, which need its cookie. */
const own = new Transport({ ...options, fetch: (url, init) => fetch(url, { ...init, credentials: 'same-origin' }) })

const token = signal<string | undefined>(undefined)

const tokens = new AccessTokens(renewByCookie, Date.now, MARGIN_MS)

/** `unknown` until the cookie was tried. */
export const sessionState = signal<'unknown' | 'out' | 'in'>('unknown')

/** The claims of the access token; undefined without a login. */
export const claims = computed<Claims | undefined>(() =>
  token.value === undefined ? undefined : readClaims(token.value),
)

/** Why the session ended, for the sign-in page: it expired, was ended elsewhere, or the account was closed. */
export type Ending = 'expired' | 'elsewhere' | 'closed'
export const ending = signal<Ending | undefined>(undefined)

/** The email address to fill in: of the last login, or the last one typed. */
export const typedEmail = signal('')

export function setTypedEmail(email: string): void {
  typedEmail.value = email
}

export function may(permission: string): boolean {
  return claims.value?.permissions.includes(permission) ?? false
}

/** The credentials of requests to the API. No token is requested before a login. */
export const credentials: Credentials = {
  authorization: async (signal) => (token.value === undefined ? undefined : tokens.authorization(signal)),
  async renew(signal) {
    if (token.value === undefined) return false
    const renewed = await tokens.renew(signal)
    if (!renewed) sessionEnded(isOver(claims.value, Date.now()) ? 'expired' : 'elsewhere')
    return renewed
  },
}

/** Tries the cookie when the console opens. */
export async function restoreSession(): Promise<void> {
  try {
    if (!(await tokens.renew(undefined))) sessionState.value = 'out'
  } catch {
    // Without a response the sign-in page is shown; it reports the problem after the next press.
    sessionState.value = 'out'
  }
}

/**
 * Logs in.
 * @throws {HooklineError} also for 201 and 202, which mean that a step of the sign-up is missing
 */
export async function signIn(proof: { email: string; password: string } | { passkey: unknown }): Promise<void> {
  const access = await requestSession('POST', proof)
  ending.value = undefined
  tokens.keep(access)
  keep(access)
}

/** Logs out: ends the session on the server and deletes what this browser stored for the account. */
export async function signOut(forget: () => Promise<void>): Promise<void> {
  await own.send({ method: 'DELETE', path: SESSION }).catch(() => undefined)
  await forget()
  typedEmail.value = ''
  drop()
}

export function sessionEnded(why: Ending): void {
  if (sessionState.value === 'in') {
    ending.value = why
    typedEmail.value = why === 'closed' ? '' : (claims.value?.email ?? '')
  }
  drop()
}

function keep(access: string): void {
  batch(() => {
    token.value = access
    sessionState.value = 'in'
  })
}

function drop(): void {
  tokens.keep(undefined)
  batch(() => {
    token.value = undefined
    sessionState.value = 'out'
  })
}

function isOver(last: Claims | undefined, now: number): boolean {
  return last !== undefined && last.loggedInAt > 0 && now >= last.loggedInAt + SESSION_MS
}

async function renewByCookie(): Promise<string | undefined> {
  const access = await requestSession('PUT').catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) return undefined
    throw error
  })
  if (access !== undefined) keep(access)
  return access
}

async function requestSession(method: 'POST' | 'PUT', json?: object): Promise<string> {
  const { status, body } = await own.send({ method, path: SESSION, json })
  const { accessToken, code, message } = isRecord(body) ? body : {}
  if (status === 200 && typeof accessToken === 'string') return accessToken
  const refusal = { code: String(code ?? 'no_access_token'), message: String(message ?? '') }
  throw new ApiError({ status, ...refusal, method, path: SESSION })
}
