import { now } from '../clock.ts'
import { unavailable } from '../http/errors.ts'

/** The last one waits some five seconds, which is less than people take to try again. */
const MAX_WAITING = 24
const POLL_MILLISECONDS = 5
/** Between two hashes: without it whoever waits next takes the isolate at once, and other requests starve. */
const REST_MILLISECONDS = 25
/** A request that was cancelled never leaves the queue by itself; it is dropped once it has been silent for so long. */
const SILENT_MILLISECONDS = 5000

// In the order of arrival; the value is when the request was last heard of.
const queue = new Map<symbol, number>()

/**
 * Runs `hash`, which blocks the isolate, when its turn has come: one at a time, few waiting, and other
 * requests served in between. Turns are polled, since a request cannot wait for a promise of another one.
 * @throws {AppError} 503 when the queue is full.
 */
export async function withHashTurn<T>(hash: () => T): Promise<T> {
  dropSilent()
  if (queue.size > MAX_WAITING) {
    throw unavailable('busy', 'Too many people are logging in right now. Try again in a second.', { retryAfter: 1 })
  }
  const turn = Symbol('turn')
  queue.set(turn, now())
  try {
    const alone = isFirst(turn)
    do {
      await scheduler.wait(POLL_MILLISECONDS)
      queue.set(turn, now())
      dropSilent()
    } while (!isFirst(turn))
    if (!alone) await scheduler.wait(REST_MILLISECONDS)
    return hash()
  } finally {
    queue.delete(turn)
  }
}

function isFirst(turn: symbol): boolean {
  return queue.keys().next().value === turn
}

function dropSilent(): void {
  for (const [turn, heard] of queue) if (heard < now() - SILENT_MILLISECONDS) queue.delete(turn)
}
