import { tooManyRequests } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { COUNTED_LIMITS, type CountedLimit, type CountedLimitName } from '../../platform/http/rate-limits.ts'
import { mailboxOf } from './mailbox-of.ts'
import { type AttemptLimit, insertAttempt, selectFreeAgain } from './sql/attempts.ts'

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

type NamedLimit = AttemptLimit & { name: CountedLimitName }

function limit(name: CountedLimitName, ...by: AttemptLimit['by']): NamedLimit {
  const { most, seconds } = COUNTED_LIMITS[name]
  return { name, by, most, within: seconds * 1000 }
}

const LIMITS: Readonly<Record<'login' | 'mail', readonly NamedLimit[]>> = {
  login: [limit('login', 'address', 'client'), limit('login-client', 'client'), limit('login-address', 'address')],
  // So that nobody's mailbox is filled through us, and no one client keeps the hashes busy. One client alone cannot use
  // up what its owner may ask for.
  mail: [limit('mail', 'address', 'client'), limit('mail-client', 'client'), limit('mail-address', 'address')],
}

/**
 * Counts an attempt before it is made, whether or not there is an account with that address; mail is counted by mailbox.
 * Answers its id: a login is then settled when it failed, or taken back; and what is left of the client's limit that is
 * nearest. Without an address of the client (outside of Cloudflare) nothing is counted by client alone, since one could
 * lock out all others.
 * @throws {AppError} 429 when there were too many, which itself does not count; for a second only, when that depends
 *   on logins that are under way.
 */
export async function countAttempt(
  db: D1Database,
  kind: 'login' | 'mail',
  email: string,
  client: Pick<Client, 'address'>,
  now: number,
): Promise<{ id: string; left: CountedLimit }> {
  const attempt = {
    id: crypto.randomUUID(),
    kind: kind === 'login' ? 'pending' : kind,
    address: await addressDigest(kind === 'login' ? email : mailboxOf(email)),
    client: client.address ?? UNKNOWN,
    at: now,
  } as const
  const limits = LIMITS[kind].filter(({ by }) => client.address !== undefined || by.includes('address'))
  const { written, counts } = await insertAttempt(db, attempt, limits)
  const left = limits.map(({ name, by, most }, index) => ({ name, by, left: most - (counts[index] ?? 0) }))
  if (written) return { id: attempt.id, left: nearest(left) }
  const full = left.find((limit) => limit.left <= 0)?.name ?? kind
  const freeAgain = await selectFreeAgain(db, attempt, limits, now - MAX_PENDING)
  if (freeAgain === undefined) {
    const message = 'Others log in from there, or to that account, at this moment. Try again in a second.'
    throw tooManyRequests(1, message, full)
  }
  const seconds = Math.max(1, Math.ceil((freeAgain - now) / 1000))
  throw tooManyRequests(seconds, `Too many attempts. Try again in ${durationText(seconds)}.`, full)
}

/** What others did with the same email address is nobody's to ask: of that the answer says nothing before it is used up. */
function nearest(limits: readonly (CountedLimit & { by: AttemptLimit['by'] })[]): CountedLimit {
  const own = limits.filter(({ by }) => by.includes('client'))
  const { name, left } = own.reduce((least, limit) => (limit.left < least.left ? limit : least))
  return { name, left }
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
