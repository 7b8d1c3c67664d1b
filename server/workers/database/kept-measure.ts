/** How long a measure is good, and after how long one that failed is repeated; milliseconds. */
const KEPT_MS = 10_000
const AGAIN_MS = 1_000

/** What is measured elsewhere and is good for a while. Whoever asks while it is measured waits for that one measure. */
export class KeptMeasure<T> {
  readonly #measure: () => Promise<T>
  readonly #failed: (error: unknown) => void
  #value: T
  #due = 0
  #running: Promise<void> | undefined

  /** `first`: what is said until a measure ended well. `failed` is told of one that did not; the last value stays. */
  constructor(first: T, measure: () => Promise<T>, failed: (error: unknown) => void) {
    this.#value = first
    this.#measure = measure
    this.#failed = failed
  }

  /** The value as it was last measured. */
  get value(): T {
    return this.#value
  }

  /** Measures where it is due. `now`: the clock, in milliseconds. Never throws. */
  async refresh(now: () => number): Promise<void> {
    if (now() < this.#due) return
    this.#running ??= this.#run(now)
    await this.#running
  }

  async #run(now: () => number): Promise<void> {
    try {
      this.#value = await this.#measure()
      this.#due = now() + KEPT_MS
    } catch (error) {
      this.#failed(error)
      this.#due = now() + AGAIN_MS
    } finally {
      this.#running = undefined
    }
  }
}
