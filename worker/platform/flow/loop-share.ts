/** A request that waits for room in a portion. */
interface Waiting {
  units: number
  /** The round in which it last yielded to the event loop. */
  left: number
}

/** Rounds without a poll after which a waiting request counts as gone: a cancelled one stops without notice. */
const GONE_ROUNDS = 2

/**
 * The work that all requests of an isolate together do before they yield to the event loop. So an answer from memory
 * waits for one portion of work, and not for one of each running request. Waiting requests poll, in order of arrival.
 * No clock is read, because clocks do not advance between one I/O and the next, and no promise of another request is
 * awaited, because that request may have been cancelled.
 *
 * Why it exists (`hostile/warm-p99`, with three other loads on the machine): beside 96 connections of bombs the median
 * of a read from memory is 124 and 56 ms with it, 1,493 and 316 ms where each request has a portion of its own.
 */
export class LoopShare {
  readonly #portion: number
  readonly #leave: () => Promise<void>
  #round = 0
  #used = 0
  #waiting: Waiting[] = []

  /** `portion`: units of work in one round. `leave`: yields to the event loop, by a timer, because a microtask would run first. */
  constructor(portion: number, leave = () => scheduler.wait(0)) {
    this.#portion = portion
    this.#leave = leave
  }

  /** Whether the current portion has room for so much work, which is then counted. */
  take(units: number): boolean {
    if (this.#waiting.length > 0 || this.#used + units > this.#portion) return false
    this.#used += units
    return true
  }

  /**
   * Yields to the event loop until there is room for so much work; for more than a portion, until a whole one is free.
   * Resolves to false where `isLate` is true before.
   */
  async wait(units: number, isLate = () => false): Promise<boolean> {
    const waiting: Waiting = { units: Math.min(units, this.#portion), left: this.#round }
    this.#waiting.push(waiting)
    do {
      waiting.left = this.#round
      await this.#leave()
      if (this.#mayRun(waiting)) return true
    } while (!isLate())
    this.#waiting = this.#waiting.filter((other) => other !== waiting)
    return false
  }

  #mayRun(waiting: Waiting): boolean {
    // The first to continue since the round began: other events were handled in between.
    if (waiting.left === this.#round) {
      this.#round++
      this.#used = 0
    }
    const place = this.#waiting.indexOf(waiting)
    const alive = this.#waiting.findIndex(({ left }) => this.#round - left <= GONE_ROUNDS)
    if (alive < place) return false
    if (this.#used > 0 && this.#used + waiting.units > this.#portion) return false
    this.#waiting.splice(0, place + 1)
    this.#used += waiting.units
    return true
  }
}
