import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { MAX_STREAMS } from '../../../contract/limits.ts'
import { now } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError, invalidField } from '../../platform/http/errors.ts'
import { NO_STORE } from '../../platform/http/policies.ts'
import { rateLimitLeft } from '../../platform/http/rate-limits.ts'
import type { Caller } from '../auth/find-caller.ts'
import { insertStreamLease } from './sql/event-streams.ts'
import { LEASE, streamEvents } from './stream-events.ts'

/** A stream ends after so long, and its reader reconnects, in milliseconds. */
const LONGEST = LIFETIMES.stream * 1000
/** Seconds after which a stream that was abandoned does not count any more. */
const RETRY_AFTER = LEASE / 1000

/**
 * The stream of the caller's events, after `lastEventId` where there is one: `LIFETIMES.stream` at most, and no longer than
 * the token. A key that may neither read nor pay is notified of items only.
 * @throws {AppError} 400; 429 for one stream more than an account may have.
 */
export async function openStream(
  db: D1Database,
  config: Config,
  caller: Pick<Caller, 'userId' | 'tokenEpoch' | 'expiresAt' | 'key'>,
  lastEventId: string | undefined,
): Promise<Response> {
  if (lastEventId !== undefined && !/^\d{1,15}$/.test(lastEventId)) {
    throw invalidField('Last-Event-ID', 'must be the id of an event that an earlier stream sent.')
  }
  const { userId, tokenEpoch, key, expiresAt: tokenEnd = Number.POSITIVE_INFINITY } = caller
  const begun = now()
  const leaseId = crypto.randomUUID()
  const lease = { id: leaseId, userId, tokenEpoch, keyId: key?.id, expiresAt: begun + LEASE }
  if (!(await insertStreamLease(db, lease, MAX_STREAMS, begun))) {
    const message = `An account may have ${MAX_STREAMS} streams open at once. Ask again when one has ended.`
    const headers = { 'Retry-After': String(RETRY_AFTER), RateLimit: rateLimitLeft('streams', 0, RETRY_AFTER) }
    throw new AppError(429, 'too_many_streams', message, { headers })
  }
  const left = new AbortController()
  const messages = streamEvents({
    db,
    config,
    userId,
    leaseId,
    money: !key || key.scopes.some((scope) => scope === 'read' || scope === 'pay'),
    after: lastEventId === undefined ? undefined : Number(lastEventId),
    until: Math.min(begun + LONGEST, 1000 * tokenEnd),
    clock: now,
    wait: (ms) => scheduler.wait(ms, { signal: left.signal }),
  })
  return new Response(readable(messages, left), {
    headers: {
      'Content-Type': 'text/event-stream',
      'Cache-Control': NO_STORE,
      // Whoever compresses an answer on its way gathers it first.
      'Content-Encoding': 'identity',
    },
  })
}

/** A body that asks for the next text only when the one before was sent; `left` is aborted when its reader disconnects. */
function readable(texts: AsyncGenerator<string, void>, left: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      left.abort()
      await texts.return()
    },
  })
}
