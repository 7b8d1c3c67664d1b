import { now } from '../clock.ts'
import type { QueuePlace, SlotQueue } from './slot-queue.ts'

/** How long one at the head of a line sleeps before it asks again whether it is its turn, in milliseconds. */
const POLL_MS = 10

/**
 * Resolves when one that joined `line` may work; who has many before it asks less often. Resolves to false where that is
 * not so by `until` (milliseconds since 1970).
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
