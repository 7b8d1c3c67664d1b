import { now } from '../clock.ts'
import type { QueuePlace, SlotQueue } from './slot-queue.ts'

/** The poll interval of a request at the head of a queue, in milliseconds. */
const POLL_MS = 10

/**
 * Resolves to true when a request that joined `line` may run, to false where that is not by `until` (milliseconds since
 * 1970). The more requests are before it, the less often it polls.
 */
export async function waitForSlot(
  line: SlotQueue,
  turn: QueuePlace,
  until = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  while (!line.mayRun(turn, now())) {
    if (now() >= until) return false
    await scheduler.wait(POLL_MS * line.roundsBefore(turn))
  }
  return true
}
