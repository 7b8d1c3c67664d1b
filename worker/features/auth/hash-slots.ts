import { now } from '../../platform/clock.ts'
import { type QueuePlace, SlotQueue } from '../../platform/flow/slot-queue.ts'
import { waitForSlot } from '../../platform/flow/wait-for-slot.ts'
import { networkOf } from '../../platform/http/client-address.ts'
import { unavailable } from '../../platform/http/errors.ts'

/**
 * Who waits, each in a queue of its own, so that a flood of one kind delays no other: logins, sign-ups, logins
 * with a proof, and those by which the account is known: a device that it logged in on, or a mailed link.
 */
export type HashQueue = 'login' | 'sign-up' | 'proven' | 'known'

/**
 * Places that one network has in a short queue: its right logins, proofs and sign-ups can all be somebody's own work, and
 * no count of failures ends them.
 */
const SHORT = { mostOfOne: 3 }

const queues: Readonly<Record<HashQueue, SlotQueue>> = {
  login: new SlotQueue(1, 18),
  'sign-up': new SlotQueue(1, 6, SHORT),
  proven: new SlotQueue(1, 6, SHORT),
  known: new SlotQueue(1, 6, SHORT),
}
/**
 * How long one waits in the queue of logins (ms), behind which a proof is requested. Without this an owner on a new device
 * waited 54 s beside 200 wrong logins a second, on a machine that had other work.
 */
const LOGIN_WAIT = 5_000
/** The heads of the queues: after a hash, a queue is behind the others. */
const heads = new SlotQueue(1, 4)
/**
 * Between two hashes as long as the last one took, within these bounds: the next one would else block the isolate at
 * once, and other requests, which need it a few times each, would have the time of one hash between every two steps.
 */
const REST_MILLISECONDS = { least: 25, most: 500 }
/** When the last hash began; the clock has not moved until it was over. */
let lastBegun = 0

/** Whether a request would be refused now. */
export function isQueueFull(name: HashQueue): boolean {
  return queues[name].isFull(now())
}

/** @throws {AppError} 503 where {@link withHashSlot} would refuse a request now. */
export function requireHashPlace(name: HashQueue): void {
  if (isQueueFull(name)) throw tooMany(name)
}

/**
 * Runs `hash`, which blocks the isolate, in its turn: one at a time, the queues in turn, few waiting, and
 * other requests served in between. `client`: the address that it counts against, where it has one.
 * @throws {AppError} 503 when the queue, or the client's network's part of it, is full, and for a login when it moves too
 *   slowly.
 */
export async function withHashSlot<T>(name: HashQueue, hash: () => T, client?: string): Promise<T> {
  const queue = queues[name]
  const turn: QueuePlace = { seen: 0, paused: false, owner: client && networkOf(client) }
  const head: QueuePlace = { seen: 0, paused: false }
  const alone = Object.values(queues).every((other) => other.isEmpty)
  if (!queue.join(turn, now(), false)) throw tooMany(name)
  try {
    const until = name === 'login' ? now() + LOGIN_WAIT : undefined
    if (!(await waitForSlot(queue, turn, until))) throw tooMany(name)
    // Before it is a head, where logins do not wait for it: a flood of sign-ups uses less of the isolate (`hostile/filling`:
    // a payment takes 1.8 s in the median, 3.3 s without this).
    if (name === 'sign-up') await scheduler.wait(restMs(alone))
    heads.join(head, now(), false)
    await waitForSlot(heads, head)
    await scheduler.wait(restMs(alone))
    lastBegun = now()
    return hash()
  } finally {
    heads.leave(head)
    queue.leave(turn)
  }
}

/** How long the last hash took, within bounds; 0 where nobody else waits. */
function restMs(alone: boolean): number {
  const { least, most } = REST_MILLISECONDS
  return alone ? 0 : Math.min(most, Math.max(least, now() - lastBegun))
}

function tooMany(name: HashQueue): Error {
  const what = name === 'sign-up' ? 'signing up' : 'logging in'
  return unavailable('busy', `Too many people are ${what} right now. Try again in a second.`, { retryAfter: 1 })
}
