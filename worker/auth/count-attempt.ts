import { tooManyRequests } from '../http/errors.ts'
import { type AttemptLimit, insertAttempt, selectFreeAgain } from '../storage/accounts/attempts.ts'
import { mailboxOf } from './mailbox-of.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** The window in which failed logins count; milliseconds. */
export const ATTEMPT_WINDOW = 15 * MINUTE

/** How long a request for mail counts; milliseconds. */
export const MAIL_WINDOW = DAY

/** A login that has been pending for longer was interrupted; milliseconds. */
const MAX_PENDING = 30_000

/** Stands for all who come without an address of theirs. */
const UNKNOWN = 'unknown'

const LIMITS: Readonly<Record<'login' | 'mail', readonly AttemptLimit[]>> = {
  // docs/behaviour.md, section 5.
  login: [
    { by: ['address', 'client'], most: 5, within: ATTEMPT_WINDOW },
    { by: ['client'], most: 20, within: ATTEMPT_WINDOW },
    { by: ['address'], most: 100, within: ATTEMPT_WINDOW },
  ],
  // So that nobody's mailbox is filled through us, and no one client keeps the hashes busy. One client alone cannot use
  // up what its owner may ask for.
  mail: [
    { by: ['address', 'client'], most: 10, within: MAIL_WINDOW },
    { by: ['client'], most: 100, within: ATTEMPT_WINDOW },
    { by: ['address'], most: 30, within: MAIL_WINDOW },
  ],
}

/**
 * Counts an attempt before it is made, whether or not there is an account with that address; mail is counted by mailbox.
 * Answers its id: a login is then settled when it failed, or taken back. Without a `client` (outside of Cloudflare)
 * nothing is counted by client alone, since one could lock out all others.
 * @throws {AppError} 429 when there were too many, which itself does not count; for a second only, when that depends
 *   on logins that are under way.
 */
export async function countAttempt(
  db: D1Database,
  kind: 'login' | 'mail',
  email: string,
  client: string | undefined,
  now: number,
): Promise<string> {
  const attempt = {
    id: crypto.randomUUID(),
    kind: kind === 'login' ? 'pending' : kind,
    address: await addressDigest(kind === 'login' ? email : mailboxOf(email)),
    client: client ?? UNKNOWN,
    at: now,
  } as const
  const limits = LIMITS[kind].filter(({ by }) => client !== undefined || by.includes('address'))
  if (await insertAttempt(db, attempt, limits)) return attempt.id
  const freeAgain = await selectFreeAgain(db, attempt, limits, now - MAX_PENDING)
  if (freeAgain === undefined) {
    const message = 'Others log in from there, or to that account, at this moment. Try again in a second.'
    throw tooManyRequests(1, message, kind)
  }
  const seconds = Math.max(1, Math.ceil((freeAgain - now) / 1000))
  throw tooManyRequests(seconds, `Too many attempts. Try again in ${durationText(seconds)}.`, kind)
}

function durationText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes > 120 ? `${Math.ceil(minutes / 60)} hours` : `${minutes} minutes`
}

/** How attempts name an address. */
export async function addressDigest(email: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(email))
  return Buffer.from(digest).toString('hex')
}
