import { batch, computed, signal } from '@preact/signals'
import { AccessTokens } from '../../client/auth/session.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { isRecord } from '../../client/http/parse-json.ts'
import { type Credentials, Transport } from '../../client/http/transport.ts'
import { options } from '../api/connection.ts'
import { type Claims, readClaims } from './read-claims.ts'

/** A token is renewed so many ms before it ends, so that none ends on the way. */
const MARGIN_MS = 5_000

/** What a session of the console lives from its sign-in on (docs/behaviour/tokens.md), less what clocks may differ. */
const SESSION_MS = 86_400_000 - 60_000

/** Where the session lives: the refresh token is a cookie that no script can read. */
const SESSION = '/console/session'

/** For the session alone, whose cookie goes along. */
const own = new Transport({ ...options, fetch: (url, init) => fetch(url, { ...init, credentials: 'same-origin' }) })

const token = signal<string | undefined>(undefined)

const tokens = new AccessTokens(renewByCookie, Date.now, MARGIN_MS)

/** `unknown` until the cookie was tried once. */
export const sessionState = signal<'unknown' | 'out' | 'in'>('unknown')

/** What the access token says of its owner; undefined when nobody is signed in. */
export const claims = computed<Claims | undefined>(() =>
  token.value === undefined ? undefined : readClaims(token.value),
)

/** Why nobody is signed in any more, which the sign-in page then says: after its time, elsewhere, or with the account. */
export type Ending = 'expired' | 'elsewhere' | 'closed'
export const ending = signal<Ending | undefined>(undefined)

/** The email address that is filled in where one is asked for: of who was signed in, or as it was typed last. */
export const typedEmail = signal('')

export function setTypedEmail(email: string): void {
  typedEmail.value = email
}

export function may(permission: string): boolean {
  return claims.value?.permissions.includes(permission) ?? false
}

/** What the API is asked with. Nobody is asked for a token before somebody has signed in. */
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
    // Without an answer the sign-in page is shown, which says what is wrong once something is pressed.
    sessionState.value = 'out'
  }
}

/** Logs in. @throws {HooklineError} 201 and 202 too, which mean that a step of the sign-up is missing. */
export async function signIn(proof: { email: string; password: string } | { passkey: unknown }): Promise<void> {
  const access = await requestSession('POST', proof)
  ending.value = undefined
  tokens.keep(access)
  keep(access)
}

/** Logs out: the session ends at the server, and what this browser kept for the account is removed. */
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
