import { tooManyRequests } from '../../platform/http/errors.ts'
import { COUNTED_LIMITS, type CountedLimit } from '../../platform/http/rate-limits.ts'
import { secondsUntilFree } from './count-attempt.ts'
import { insertAttempt } from './sql/attempts.ts'

const { domains, uploads, webhooks } = COUNTED_LIMITS

/** Actions of accounts that cause many requests to others, and the message past their limit. */
const ACTS = {
  domains: {
    kind: 'domain',
    message: `Domains may be claimed and checked ${domains.most} times in ${domains.seconds / 60} minutes. Pending claims are checked each minute.`,
  },
  uploads: { kind: 'uploads', message: `Uploads may be listed ${uploads.most} times in a minute.` },
  webhooks: {
    kind: 'webhook',
    message: `Webhooks may be tested ${webhooks.most} times in ${webhooks.seconds / 60} minutes.`,
  },
} as const

/**
 * Counts an action of an account. Returns how many more are allowed: claims and checks of domains, of which Cloudflare
 * accepts a limited number of all accounts together; lists of uploads, which query the bucket for each; tests of webhooks,
 * which send a request to another machine. `now` in milliseconds.
 * @throws {AppError} 429
 */
export async function limitAction(
  db: D1Database,
  name: keyof typeof ACTS,
  userId: string,
  now: number,
): Promise<CountedLimit> {
  const { most, seconds } = COUNTED_LIMITS[name]
  const { kind, message } = ACTS[name]
  const limits = [{ by: ['address'], most, within: seconds * 1000 }] as const
  const act = { id: crypto.randomUUID(), kind, address: userId, client: '', at: now } as const
  const { written, counts } = await insertAttempt(db, act, limits)
  if (written) return { name, left: most - (counts[0] ?? most) }
  throw tooManyRequests(await secondsUntilFree(db, act, limits, now), message, name)
}
