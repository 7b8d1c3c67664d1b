import { tooManyRequests } from '../errors.ts'
import { type Attempt, type AttemptLimits, addAttempt, findBlockingAttempt } from '../storage/attempts.ts'

/** The window in which attempts count; milliseconds. */
export const ATTEMPT_WINDOW = 15 * 60 * 1000

const LIMITS: Readonly<Record<Attempt['kind'], AttemptLimits>> = {
  // Contract, section 5.
  login: { addressAndClient: 5, client: 20, address: 100 },
  // So that nobody's mailbox is filled through us.
  mail: { addressAndClient: 10, client: 1000, address: 20 },
}

/**
 * Counts an attempt before it is made, whether or not there is an account with that address.
 * Answers its id, by which it can be taken back.
 * @throws {AppError} 429 when there were too many; that refusal itself does not count.
 */
export async function countAttempt(
  db: D1Database,
  kind: Attempt['kind'],
  email: string,
  client: string,
  now: number,
): Promise<string> {
  const attempt = { id: crypto.randomUUID(), kind, address: await addressDigest(email), client, at: now }
  if (await addAttempt(db, attempt, LIMITS[kind], now - ATTEMPT_WINDOW)) return attempt.id
  const freed = (await findBlockingAttempt(db, attempt, LIMITS[kind])) + ATTEMPT_WINDOW
  const seconds = Math.max(1, Math.ceil((freed - now) / 1000))
  throw tooManyRequests(seconds, `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`)
}

/** How attempts name an address. */
export async function addressDigest(email: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(email))
  return Buffer.from(digest).toString('hex')
}
