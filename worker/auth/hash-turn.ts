import { now } from '../clock.ts'
import { unavailable } from '../http/errors.ts'

/** Who waits: sign-ups have a queue of their own, so that a flood of them keeps nobody from logging in. */
export type HashQueue = 'login' | 'sign-up'

/** The last one waits some seven seconds where both are full, which is about when people try again. */
const MAX_WAITING: Readonly<Record<HashQueue, number>> = { login: 24, 'sign-up': 8 }
const POLL_MILLISECONDS = 5
/** Between two hashes: without it whoever waits next takes the isolate at once, and other requests starve. */
const REST_MILLISECONDS = 25
/** A request that was cancelled never leaves the queue by itself; it is dropped once it has been silent for so long. */
const SILENT_MILLISECONDS = 5000

// In the order of arrival; the value is when the request was last heard of.
const queues: Readonly<Record<HashQueue, Map<symbol, number>>> = { login: new Map(), 'sign-up': new Map() }
let lastServed: HashQueue = 'sign-up'
/** Whose turn it is, resting included. */
let serving: symbol | undefined

/**
 * Runs `hash`, which blocks the isolate, when its turn has come: one at a time, the two queues in turn, few waiting, and
 * other requests served in between. Turns are polled, since a request cannot wait for a promise of another one.
 * @throws {AppError} 503 when the queue is full.
 */
export async function withHashTurn<T>(name: HashQueue, hash: () => T): Promise<T> {
  dropSilent()
  const queue = queues[name]
  if (queue.size > MAX_WAITING[name]) {
    const what = name === 'login' ? 'logging in' : 'signing up'
    throw unavailable('busy', `Too many people are ${what} right now. Try again in a second.`, { retryAfter: 1 })
  }
  const alone = queues.login.size + queues['sign-up'].size === 0
  const turn = Symbol('turn')
  queue.set(turn, now())
  try {
    do {
      await scheduler.wait(POLL_MILLISECONDS)
      queue.set(turn, now())
      dropSilent()
    } while (!isNext(name, turn))
    serving = turn
    lastServed = name
    if (!alone) await scheduler.wait(REST_MILLISECONDS)
    return hash()
  } finally {
    leave(queue, turn)
  }
}

function isNext(name: HashQueue, turn: symbol): boolean {
  if (serving !== undefined) return false
  const other = queues[name === 'login' ? 'sign-up' : 'login']
  return queues[name].keys().next().value === turn && (other.size === 0 || lastServed !== name)
}

function dropSilent(): void {
  for (const queue of Object.values(queues)) {
    for (const [turn, heard] of queue) if (heard < now() - SILENT_MILLISECONDS) leave(queue, turn)
  }
}

function leave(queue: Map<symbol, number>, turn: symbol): void {
  queue.delete(turn)
  if (serving === turn) serving = undefined
}
