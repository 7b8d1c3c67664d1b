/** What is known of one failed try. */
export interface FailedTry {
  /** How many tries have failed before this one. */
  retries: number
  /** Status of the response; `undefined` if there was none. */
  status: number | undefined
  /** Text of the header `Retry-After`, if there was one. */
  retryAfter: string | null
  /** Whether the same request may be sent again: a read, an upload at its offset, a POST with an `Idempotency-Key`. */
  repeatable: boolean
  /** Tries after the first one; without end for who waits in front of it. */
  most?: number | undefined
}

/** The default number of tries after the first one. */
const MAX_RETRIES = 4
/** The longest `Retry-After` (s) that is waited for; a longer one is reported to the caller. */
export const MAX_RETRY_AFTER = 60
/** The longest pause (s) between two tries if there is no limit of tries. */
const MAX_PAUSE = 120
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 8000
const RETRIED = new Set([408, 429, 500, 502, 503, 504])

/**
 * Milliseconds until the next try, `undefined` where there is none. `Retry-After` is a floor: the random part only
 * adds to it. `random` is from 0 up to 1, `now` in ms since 1970.
 */
export function retryDelay(failed: FailedTry, now: number, random: number): number | undefined {
  const { retries, status, repeatable, most = MAX_RETRIES } = failed
  if (!repeatable || retries >= most) return undefined
  // A keyed POST whose first try still runs is a 409 with `Retry-After`.
  const runs = status === 409 && failed.retryAfter !== null
  if (status !== undefined && !RETRIED.has(status) && !runs) return undefined
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** retries, MAX_DELAY_MS)
  const floor = parseRetryAfter(failed.retryAfter, now)
  if (floor === undefined) return Math.round(backoff * (0.5 + random / 2))
  if (floor > MAX_RETRY_AFTER && most !== Number.POSITIVE_INFINITY) return undefined
  return Math.ceil(Math.min(floor, MAX_PAUSE) * 1000 + random * backoff)
}

/** Seconds that `Retry-After` asks for (RFC 9110, 10.2.3: a number of seconds or a date); `undefined` for neither. */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  if (/^\s*\d+\s*$/.test(text)) return Number(text)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
