import { tooManyRequests } from '../http/errors.ts'
import { COUNTED_LIMITS, type CountedLimit } from '../http/rate-limits.ts'
import { insertAttempt, selectFreeAgain } from '../storage/accounts/attempts.ts'

/**
 * Counts a claim or a check of a domain against its account, and says how many more there may be. Cloudflare takes so many
 * calls of all of this service's accounts together: none of them may use those up. `now` in milliseconds.
 * @throws {AppError} 429
 */
export async function countDomainAct(db: D1Database, userId: string, now: number): Promise<CountedLimit> {
  const { most, seconds } = COUNTED_LIMITS.domains
  const limits = [{ by: ['address'], most, within: seconds * 1000 }] as const
  const act = { id: crypto.randomUUID(), kind: 'domain', address: userId, client: '', at: now } as const
  const { written, counts } = await insertAttempt(db, act, limits)
  if (written) return { name: 'domains', left: most - (counts[0] ?? most) }
  const freeAgain = (await selectFreeAgain(db, act, limits, now)) ?? now
  const message = `Domains may be claimed and checked ${most} times in ${seconds / 60} minutes. What waits is looked at each minute.`
  throw tooManyRequests(Math.max(1, Math.ceil((freeAgain - now) / 1000)), message, 'domains')
}
