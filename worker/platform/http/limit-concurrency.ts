import type { MiddlewareHandler } from 'hono'
import { now } from '../clock.ts'
import { FairQueue } from '../flow/fair-queue.ts'
import type { AppEnv } from './app-env.ts'
import { networkOf } from './client-address.ts'
import { unavailable } from './errors.ts'
import { addressOf } from './limit-requests.ts'

/** A request that runs longer (ms) probably waits for a node or its client, so others start; later under overload. */
const HELD_MS = 250
const WAIT_MS = 5_000
const POLL_MS = 10
const RETRY_AFTER_SECONDS = 2

/**
 * Queues of requests that read the database: by account those with a token, or with an API key that was accepted
 * before; by network those with another key, which may be invented, and those without either. Without these queues 200
 * requests a second (`hostile/filling`), more than the CPU can answer, were all started, and none was answered in 10 s.
 */
const queues = {
  account: new FairQueue({ atOnce: 16, mostWaiting: 128, heldMs: HELD_MS }),
  key: new FairQueue({ atOnce: 16, mostWaiting: 128, heldMs: HELD_MS }),
  network: new FairQueue({ atOnce: 8, mostWaiting: 64, heldMs: HELD_MS }),
}

/**
 * The result of `work`, which starts when a slot is free: an owner with few requests goes before one
 * with many, and who is `first` before all who are not.
 * @throws {AppError} 503 `busy` where the queue is full of others, or the wait is too long; what `work` throws.
 */
export async function runInQueue<T>(
  kind: keyof typeof queues,
  { owner, first = false }: { owner: string; first?: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const queue = queues[kind]
  const turn = queue.join(owner, now(), first)
  if (!turn) throw busy()
  try {
    const until = now() + WAIT_MS
    while (!queue.hasTurn(turn, now())) {
      if (turn.refused || now() >= until) throw busy()
      const wakeMs = POLL_MS * queue.roundsBefore(turn)
      const slept = now()
      await scheduler.wait(wakeMs)
      queue.wokenLate(now() - slept - wakeMs)
    }
    return await work()
  } finally {
    queue.leave(turn)
  }
}

/** {@link runInQueue} as middleware, for requests without an account. */
export function limitConcurrency(): MiddlewareHandler<AppEnv> {
  return async function limitConcurrency(c, next) {
    await runInQueue('network', { owner: networkOfClient(c) }, next)
  }
}

/** The network of a request's client; all clients of unknown address are in one. */
export function networkOfClient(c: Parameters<typeof addressOf>[0]): string {
  const address = addressOf(c)
  return address === undefined ? '' : networkOf(address)
}

function busy(): Error {
  const message = 'Too many requests are being answered right now. Try again in a few seconds.'
  return unavailable('busy', message, { retryAfter: RETRY_AFTER_SECONDS })
}
