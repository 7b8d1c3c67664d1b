import { batch, computed, signal } from '@preact/signals'
import { ApiError, refusalOf } from '../api/api-error.ts'
import { type Claims, readClaims } from './read-claims.ts'

/** A token is renewed so many ms before it ends, so that none ends on the way. */
const MARGIN_MS = 5_000

/** Where the session lives: the refresh token is a cookie that no script can read. */
const SESSION = '/console/session'

const token = signal<string | undefined>(undefined)

/** `unknown` until the cookie was tried once. */
export const sessionState = signal<'unknown' | 'out' | 'in'>('unknown')

/** What the access token says of its owner; undefined when nobody is signed in. */
export const claims = computed<Claims | undefined>(() =>
  token.value === undefined ? undefined : readClaims(token.value),
)

/** Whether the session ended by itself, which the sign-in page then says. */
export const endedByItself = signal(false)

export function may(permission: string): boolean {
  return claims.value?.permissions.includes(permission) ?? false
}

/** An access token that is still live, renewed where it has to be; undefined when nobody is signed in. */
export async function accessToken(): Promise<string | undefined> {
  const held = token.value
  const ends = claims.value?.ends
  if (held === undefined) return undefined
  if (ends === undefined || ends - Date.now() > MARGIN_MS) return held
  return renewAccess(held)
}

let renewing: Promise<string | undefined> | undefined

/**
 * A new access token by the cookie, unless `stale` was replaced meanwhile; undefined where the session has ended.
 * @throws {ApiError} where the service could not be asked.
 */
export function renewAccess(stale: string | undefined): Promise<string | undefined> {
  if (stale !== undefined && token.value !== stale) return Promise.resolve(token.value)
  renewing ??= requestSession('PUT').then(
    (renewed) => {
      keep(renewed)
      return renewed
    },
    (error) => {
      if (error instanceof ApiError && error.status === 401) return undefined
      throw error
    },
  )
  return renewing.finally(() => {
    renewing = undefined
  })
}

/** Tries the cookie when the console opens. */
export async function restoreSession(): Promise<void> {
  try {
    if ((await renewAccess(undefined)) === undefined) sessionState.value = 'out'
  } catch {
    // Without an answer the sign-in page is shown, which says what is wrong once something is pressed.
    sessionState.value = 'out'
  }
}

/** Logs in. @throws {ApiError} 201 and 202 too, which mean that a step of the sign-up is missing. */
export async function signIn(credentials: { email: string; password: string } | { passkey: unknown }): Promise<void> {
  const access = await requestSession('POST', credentials)
  endedByItself.value = false
  keep(access)
}

/** Logs out: the session ends at the server, and what this browser kept for the account is removed. */
export async function signOut(forget: () => Promise<void>): Promise<void> {
  await fetch(SESSION, { method: 'DELETE', credentials: 'same-origin' }).catch(() => undefined)
  await forget()
  drop()
}

export function sessionEnded(): void {
  if (sessionState.value === 'in') endedByItself.value = true
  drop()
}

function keep(access: string | undefined): void {
  batch(() => {
    token.value = access
    if (access !== undefined) sessionState.value = 'in'
  })
}

function drop(): void {
  batch(() => {
    token.value = undefined
    sessionState.value = 'out'
  })
}

async function requestSession(method: 'POST' | 'PUT', body?: unknown): Promise<string | undefined> {
  const response = await fetch(SESSION, {
    method,
    credentials: 'same-origin',
    ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((cause) => {
    throw new ApiError(0, 'offline', '', { cause })
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.status !== 200) throw refusalOf(response, answer)
  const access: unknown =
    typeof answer === 'object' && answer !== null && 'accessToken' in answer ? answer.accessToken : undefined
  if (typeof access !== 'string') throw new ApiError(200, 'no_access_token', '')
  return access
}
