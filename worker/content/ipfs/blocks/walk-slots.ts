import { now } from '../../../platform/clock.ts'
import { LONGEST_WAIT_MS, waitedTooLong } from '../../../platform/flow/longest-wait.ts'
import { type QueuePlace, SlotQueue } from '../../../platform/flow/slot-queue.ts'
import { waitForSlot } from '../../../platform/flow/wait-for-slot.ts'
import { unavailable } from '../../../platform/http/errors.ts'

const AT_ONCE = 8
const MAX_WAITING = 1000
/** One that is silent for so long (ms) waits for a store or a resolver and does no work here: the next one begins. */
const HELD_MS = 100

const RETRY_AFTER_SECONDS = 5

/** Requests of this isolate that are not answered from memory and have not reached a network request yet. */
const entrance = new SlotQueue(AT_ONCE, MAX_WAITING, { heldMs: HELD_MS })

const turns = new WeakMap<Pick<ExecutionContext, 'waitUntil'>, QueuePlace>()

/**
 * The result of `look` for the request with this context, which runs in one of a few slots. A read from memory then waits for
 * the CPU work of few other requests, not of all that arrive at once. Measured (`hostile/warm-p99`, a busy machine, three
 * rounds in pairs): 99 % of reads from memory need 0.9, 0.8 and 1.0 s with it, 3.8, 0.4 and 4.5 without.
 * @throws {AppError} 503 if too many wait, 503 `busy` after a wait of 10 s, and what `look` throws.
 */
export async function runInWalkSlot<Result>(
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  look: () => Promise<Result>,
): Promise<Result> {
  const turn: QueuePlace = { seen: 0, paused: false }
  if (!entrance.join(turn, now(), false)) {
    const message = 'Too many requests for IPFS content are being answered. Try again in a few seconds.'
    throw unavailable('too_many_walks', message, { retryAfter: RETRY_AFTER_SECONDS })
  }
  if (!(await waitForSlot(entrance, turn, now() + LONGEST_WAIT_MS))) throw waitedTooLong()
  turns.set(ctx, turn)
  try {
    return await look()
  } finally {
    entrance.leave(turn)
  }
}

/**
 * Releases the slot of the request with this context: from here on it waits for the network, or for its turn among others
 * that walk large DAGs.
 */
export function releaseWalkSlot(ctx: Pick<ExecutionContext, 'waitUntil'>): void {
  const turn = turns.get(ctx)
  if (turn) entrance.leave(turn)
}
