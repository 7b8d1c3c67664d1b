import { now as clock } from '../../../platform/clock.ts'
import { insertAttempt } from '../../auth/sql/attempts.ts'

/**
 * Calls of Cloudflare's API in a minute, by all accounts and jobs of this service: its limit is 1,200 in five minutes.
 * Requests of accounts leave some for the jobs, which handle every claim in turn.
 */
const MAX_CALLS = { account: 120, job: 180 } as const
const WINDOW_MS = 60_000

/** No call of Cloudflare's API is left in this minute. */
class HostnameCallsSpentError extends Error {
  override name = 'HostnameCallsSpentError'
}

/** Fetches from Cloudflare's API for an account or a job, each call counted before it is made, and refused past the limit. */
export function countedFetch(db: D1Database, by: keyof typeof MAX_CALLS): typeof fetch {
  return async (input, init) => {
    const call = { id: crypto.randomUUID(), kind: 'hostname', address: by, client: 'cloudflare', at: clock() } as const
    const { written } = await insertAttempt(db, call, [{ by: ['client'], most: MAX_CALLS[by], within: WINDOW_MS }])
    if (!written) throw new HostnameCallsSpentError('Cloudflare was asked as often as it may be in a minute.')
    return await fetch(input, init)
  }
}
