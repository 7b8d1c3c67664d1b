import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { type AppError, tooManyRequests } from '../../platform/http/errors.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { COUNTED_LIMITS, type CountedLimit, type CountedLimitName } from '../../platform/http/rate-limits.ts'
import { type Attempt, type AttemptLimit, insertAttempt, selectFreeAgain } from './sql/attempts.ts'
import type { MailLink } from './sql/mail-links.ts'

/** The window in which failed logins count; milliseconds. */
export const ATTEMPT_WINDOW = LIFETIMES.failedLogin * 1000

/** How long a request for mail counts; milliseconds. */
export const MAIL_WINDOW = COUNTED_LIMITS['mail-address'].seconds * 1000

/** A login that has been pending for longer was interrupted; milliseconds. */
const MAX_PENDING = 30_000

/** The client of requests without an address. */
const UNKNOWN = 'unknown'

interface NamedLimit extends AttemptLimit {
  name: CountedLimitName
  /** Whether it counts the caller's own requests: the answer says how many are left. */
  own: boolean
}

function limit(name: CountedLimitName, by: AttemptLimit['by'], own = true): NamedLimit {
  const { most, seconds } = COUNTED_LIMITS[name]
  return { name, by, most, within: seconds * 1000, own }
}

/** What nobody passes. */
const HARD = {
  login: [limit('login', ['address', 'client']), limit('login-client', ['client'])],
  // Its failures are stored under the name of the device, not of the email address.
  known: [limit('login-device', ['address']), limit('login-client', ['client'])],
}
/** What others can use up: whoever meets it gets on with a proof. */
const NETWORKS = [limit('login-56', ['net56'], false), limit('login-48', ['net48'], false)]
const SOFT = { login: [...NETWORKS, limit('login-address', ['address'], false)], known: NETWORKS }

// So that nobody's mailbox is filled through us, and no one client keeps the hashes busy. One client alone cannot use
// up what its owner may ask for.
const MAIL_CLIENT = limit('mail-client', ['client'])
const MAIL = [limit('mail', ['address', 'client']), MAIL_CLIENT, limit('mail-address', ['address'], false)]
/** Above what a mailbox may get in a day: nobody can prevent its owner from a reset for longer than an hour. */
const RESET_INSTEAD =
  ' If strangers asked for them, ask for a new password instead: that link confirms the address too.'
const RESET_ABOVE = [limit('mail-hour', ['address'], false)]

/** An attempt that was counted, and what is left of the caller's own limit that is nearest. */
export interface AttemptCount {
  id: string
  left: CountedLimit
}

/** Why a login needs a proof, and in how many seconds it needs none. */
export interface ProofCause {
  proofIn: number
  /** None where it is the queue that is full. */
  limit: CountedLimitName | undefined
}

/**
 * Counts a login before its password is checked, whether or not there is an account with that address; it is then
 * settled when it failed, or deleted. `known` names its device, which has a count of its own in place
 * of the email address's. Returns which limit requires a proof of work that is missing, and after how many seconds none is required. Without
 * an address of the client nothing is counted by client alone, since one could lock out all others.
 * @throws {AppError} 429 when there were too many, which itself does not count; for a second only, when that depends
 *   on logins that are under way.
 */
export async function countLogin(
  db: D1Database,
  given: { email: string; known?: string | undefined; client: Pick<Client, 'address'>; proven: boolean },
  now: number,
): Promise<AttemptCount | ProofCause> {
  const kind = given.known === undefined ? 'login' : 'known'
  const attempt = {
    id: crypto.randomUUID(),
    kind: 'pending',
    address: await addressDigest(given.known ?? given.email),
    client: given.client.address ?? UNKNOWN,
    at: now,
  } as const
  const hard = HARD[kind].filter((one) => applies(one, given.client))
  const soft = given.proven ? [] : SOFT[kind].filter((one) => applies(one, given.client))
  const { written, left } = await insertCounted(db, attempt, [...hard, ...soft])
  if (written) return { id: attempt.id, left: nearest(left) }
  const full = left.find(({ name, left }) => left <= 0 && hard.some((one) => one.name === name))
  const freeAgain = await selectFreeAgain(db, attempt, full ? hard : soft, now - MAX_PENDING)
  const seconds = freeAgain === undefined ? 1 : Math.max(1, Math.ceil((freeAgain - now) / 1000))
  if (!full) return { proofIn: seconds, limit: left.find((one) => one.left <= 0)?.name }
  if (freeAgain !== undefined) throw tooMany(seconds, full.name)
  const message = 'Another login is in progress. Try again in a few seconds.'
  throw tooManyRequests(seconds, message, full.name)
}

/**
 * Counts a request for a mail, by mailbox, whether or not there is an account with that address. Links do not count
 * against sign-ups. Above the daily count one mail for a reset is sent in an hour, for any caller.
 * @throws {AppError} 429 when there were too many, which itself does not count.
 */
export async function countMail(
  db: D1Database,
  kind: MailLink['kind'] | 'sign-up',
  email: string,
  client: Pick<Client, 'address'>,
  now: number,
): Promise<CountedLimit> {
  const attempt = {
    id: crypto.randomUUID(),
    kind: kind === 'sign-up' ? 'mail' : 'link',
    address: await addressDigest(normalizeEmail(email)),
    client: client.address ?? UNKNOWN,
    at: now,
  } as const
  const limits = MAIL.filter((one) => applies(one, client))
  const { written, left } = await insertCounted(db, attempt, limits)
  if (written) return nearest(left)
  const full = left.find((one) => one.left <= 0)?.name ?? 'mail'
  const ofClient = left.some((one) => one.name === MAIL_CLIENT.name && one.left <= 0)
  if (kind !== 'reset' || ofClient) {
    throw tooMany(
      await secondsUntilFree(db, attempt, limits, now),
      full,
      full === 'mail-address' && kind !== 'email' ? RESET_INSTEAD : '',
    )
  }
  const above = { ...attempt, kind: 'reset' } as const
  if ((await insertCounted(db, above, RESET_ABOVE)).written) return nearest(left)
  throw tooMany(await secondsUntilFree(db, above, RESET_ABOVE, now), full)
}

/** Of one client alone is only counted where it has an address, and by network only that of IPv6. */
function applies({ by }: AttemptLimit, client: Pick<Client, 'address'>): boolean {
  if (by.includes('net56') || by.includes('net48')) return client.address?.includes(':') === true
  return client.address !== undefined || by.includes('address')
}

async function insertCounted(db: D1Database, attempt: Attempt, limits: readonly NamedLimit[]) {
  const { written, counts } = await insertAttempt(db, attempt, limits)
  return {
    written,
    left: limits.map(({ name, own, most }, index) => ({ name, own, left: most - (counts[index] ?? 0) })),
  }
}

/** What others did with the same email address, or in the same network, is nobody's to ask: an answer says nothing of it. */
function nearest(left: readonly (CountedLimit & { own: boolean })[]): CountedLimit {
  const own = left.filter((limit) => limit.own)
  const { name, left: least } = own.reduce((least, limit) => (limit.left < least.left ? limit : least))
  return { name, left: Math.max(0, least) }
}

/** After how many seconds one more attempt is counted where limits are used up: 1 at the least. */
export async function secondsUntilFree(
  db: D1Database,
  attempt: Attempt,
  limits: readonly AttemptLimit[],
  now: number,
): Promise<number> {
  const freeAgain = (await selectFreeAgain(db, attempt, limits, now)) ?? now
  return Math.max(1, Math.ceil((freeAgain - now) / 1000))
}

function tooMany(seconds: number, limit: CountedLimitName, more = ''): AppError {
  return tooManyRequests(seconds, `Too many attempts. Try again in ${durationText(seconds)}.${more}`, limit)
}

function durationText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (minutes > 120) return `${Math.ceil(minutes / 60)} hours`
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/** How attempts name an address. */
export async function addressDigest(email: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(email))
  return Buffer.from(digest).toString('hex')
}

/** The two domains of one provider, which delivers `a.b` and `ab` to one mailbox. */
const WITHOUT_DOTS = ['gmail.com', 'googlemail.com']

/**
 * What is for the mailbox of an address where mail is counted: most providers deliver `name+anything` to `name`
 * (RFC 5233), so that one mailbox has any number of addresses. Text that the pattern of addresses allows behind the domain,
 * as in `a@b.com,xy`, some providers read as a second address: it makes no other mailbox. `email` is lower-cased.
 */
export function normalizeEmail(email: string): string {
  const [, local = '', domain = ''] = /^([^@]*)@([a-z0-9.-]*)/.exec(email) ?? []
  const [name = ''] = local.split('+')
  return WITHOUT_DOTS.includes(domain) ? `${name.replaceAll('.', '')}@${WITHOUT_DOTS[0]}` : `${name}@${domain}`
}
