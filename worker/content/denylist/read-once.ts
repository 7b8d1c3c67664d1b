/** How often (ms) one that waits looks whether the reading has ended. */
const POLL_MS = 20
/** Looks after which a reading counts as gone with its request: longer than D1 is waited for. */
const MAX_POLLS = 250

/** One reading; what became of it is told by values, since a request cannot wait for a promise of another one. */
interface Reading {
  state: 'running' | 'done' | 'failed'
  error?: unknown
}

/** What is read once for all requests of an isolate that need it at the same time. */
export class ReadOnce {
  #running: Reading | undefined

  /**
   * Waits for the reading of another request, or calls `read`, which goes on when this request's client is gone, until
   * `isKnown` says that there is nothing left to read. @throws what the reading threw.
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
