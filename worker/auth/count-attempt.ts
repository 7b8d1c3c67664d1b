import { tooManyRequests } from '../http/errors.ts'
import { type AttemptLimits, insertAttempt, selectBlockingAttempt } from '../storage/accounts/attempts.ts'

/** The window in which attempts count; milliseconds. */
export const ATTEMPT_WINDOW = 15 * 60 * 1000

/** A login that has been pending for longer was interrupted; milliseconds. */
const MAX_PENDING = 30_000

const LIMITS: Readonly<Record<'login' | 'mail', AttemptLimits>> = {
  // Contract, section 5.
  login: { addressAndClient: 5, client: 20, address: 100 },
  // So that nobody's mailbox is filled through us.
  mail: { addressAndClient: 10, client: 1000, address: 20 },
}

/**
 * Counts an attempt before it is made, whether or not there is an account with that address. Answers its id: a login
 * is then settled when it failed, or taken back.
 * @throws {AppError} 429 when there were too many, which itself does not count; for a second only, when that depends
 *   on logins that are under way.
 */
export async function countAttempt(
  db: D1Database,
  kind: 'login' | 'mail',
  email: string,
  client: string,
  now: number,
): Promise<string> {
  const attempt = {
    id: crypto.randomUUID(),
    kind: kind === 'login' ? 'pending' : kind,
    address: await addressDigest(email),
    client,
    at: now,
  } as const
  const window = { since: now - ATTEMPT_WINDOW, stale: now - MAX_PENDING }
  if (await insertAttempt(db, attempt, LIMITS[kind], window.since)) return attempt.id
  const blocking = await selectBlockingAttempt(db, attempt, LIMITS[kind], window)
  if (blocking === undefined) {
    throw tooManyRequests(1, 'Others log in from there, or to that account, at this moment. Try again in a second.')
  }
  const seconds = Math.max(1, Math.ceil((blocking + ATTEMPT_WINDOW - now) / 1000))
  throw tooManyRequests(seconds, `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`)
}

/** How attempts name an address. */
export async function addressDigest(email: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(email))
  return Buffer.from(digest).toString('hex')
}
