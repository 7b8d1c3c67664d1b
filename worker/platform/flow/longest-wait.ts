import { now } from '../clock.ts'
import { unavailable } from '../http/errors.ts'

/** The most milliseconds that a read waits for a queue of its isolate. */
export const LONGEST_WAIT_MS = 10_000

const RETRY_AFTER_SECONDS = 5

/** Whether a wait that begins now has lasted for {@link LONGEST_WAIT_MS}. */
export function startWait(): () => boolean {
  const until = now() + LONGEST_WAIT_MS
  return () => now() >= until
}

/** The error of a read that waited for so long. */
export function waitedTooLong(): Error {
  const seconds = LONGEST_WAIT_MS / 1000
  const message = `This machine had no turn for this request within ${seconds} seconds. Try again in a few seconds.`
  return unavailable('busy', message, { retryAfter: RETRY_AFTER_SECONDS })
}
