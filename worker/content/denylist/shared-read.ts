/** How often (ms) a waiting request checks whether the reading has ended. */
const POLL_MS = 20
/** Polls after which a reading counts as gone with its request: longer than D1 is waited for. */
const MAX_POLLS = 250

/** One reading. Its outcome is in fields, since a request cannot wait for a promise of another one. */
interface Reading {
  state: 'running' | 'done' | 'failed'
  error?: unknown
}

/** A read that all requests of an isolate share which need it at the same time. */
export class SharedRead {
  #running: Reading | undefined

  /**
   * Waits for the read of another request, or calls `read`, which continues if this request's client disconnects, until
   * `isKnown` returns `true`. @throws what `read` throws.
   */
  async run(
    ctx: Pick<ExecutionContext, 'waitUntil'>,
    { read, isKnown }: { read: () => Promise<unknown>; isKnown: () => boolean },
  ): Promise<void> {
    for (let watched = this.#running; watched; watched = this.#running) {
      if (!(await hasEnded(watched)) && this.#running === watched) break
      if (watched.state === 'failed') throw watched.error
      if (isKnown()) return
    }
    const mine: Reading = { state: 'running' }
    this.#running = mine
    const reading = this.#follow(mine, read)
    ctx.waitUntil(reading.catch(() => {}))
    await reading
  }

  async #follow(mine: Reading, read: () => Promise<unknown>): Promise<void> {
    try {
      await read()
      mine.state = 'done'
    } catch (error) {
      mine.state = 'failed'
      mine.error = error
      throw error
    } finally {
      if (this.#running === mine) this.#running = undefined
    }
  }
}

async function hasEnded(reading: Reading): Promise<boolean> {
  for (let polls = 0; reading.state === 'running' && polls < MAX_POLLS; polls++) await scheduler.wait(POLL_MS)
  return reading.state !== 'running'
}
