import type { MiddlewareHandler } from 'hono'
import { now } from '../clock.ts'
import { FairQueue } from '../flow/fair-queue.ts'
import type { AppEnv } from './app-env.ts'
import { networkOf } from './client-address.ts'
import { unavailable } from './errors.ts'
import { addressOf } from './limit-requests.ts'

/** A turn that took longer waits for a node or for its client, and others begin; later while the isolate is behind. */
const HELD_MS = 250
const WAIT_MS = 5_000
const POLL_MS = 10
const RETRY_AFTER_SECONDS = 2

/**
 * Requests that ask the database: those with a token, or an API key that was accepted before, by account; those with
 * another key, which may be made up, and those without either, by network. Without these lines 200 requests a second
 * (`hostile/filling`), more than there is time for, were all begun, and none was answered in 10 s.
 */
const lines = {
  account: new FairQueue({ atOnce: 16, mostWaiting: 128, heldMs: HELD_MS }),
  key: new FairQueue({ atOnce: 16, mostWaiting: 128, heldMs: HELD_MS }),
  network: new FairQueue({ atOnce: 8, mostWaiting: 64, heldMs: HELD_MS }),
}

/**
 * Runs `work` when it is the turn of this owner: one with few requests goes before one with many.
 * @throws {AppError} 503 `busy` where the line is full of others, or moves too slowly, and whatever `work` throws.
 */
export async function inTurn<T>(kind: keyof typeof lines, owner: string, work: () => Promise<T>): Promise<T> {
  const line = lines[kind]
  const turn = line.join(owner, now())
  if (!turn) throw busy()
  try {
    const until = now() + WAIT_MS
    while (!line.mayWork(turn, now())) {
      if (turn.refused || now() >= until) throw busy()
      const wakeMs = POLL_MS * line.roundsBefore(turn)
      const slept = now()
      await scheduler.wait(wakeMs)
      line.wokenLate(now() - slept - wakeMs)
    }
    return await work()
  } finally {
    line.leave(turn)
  }
}

/** {@link inTurn} as middleware, for what is asked without an account. */
export function limitConcurrency(): MiddlewareHandler<AppEnv> {
  return async function limitConcurrency(c, next) {
    await inTurn('network', networkOfClient(c), next)
  }
}

/** The network that a request comes from; all whose address is not known are one. */
export function networkOfClient(c: Parameters<typeof addressOf>[0]): string {
  const address = addressOf(c)
  return address === undefined ? '' : networkOf(address)
}

function busy(): Error {
  const message = 'Too many requests are being answered right now. Try again in a few seconds.'
  return unavailable('busy', message, { retryAfter: RETRY_AFTER_SECONDS })
}
