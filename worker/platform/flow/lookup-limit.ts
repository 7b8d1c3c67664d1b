const AT_ONCE = 20
const A_MINUTE = 300
const MINUTE = 60_000

/** Lookups of names that strangers choose, in an isolate: 20 under way at once, and 300 in a minute. */
export class LookupLimit {
  #underWay = 0
  #counted = 0
  /** When the minute began, in milliseconds. */
  #since = 0

  /** Seconds after which there is room again. */
  static readonly retryAfter = MINUTE / 1000

  /** Whether one more may begin; `now` in milliseconds. */
  hasRoom(now: number): boolean {
    if (Math.abs(now - this.#since) >= MINUTE) {
      this.#since = now
      this.#counted = 0
    }
    return this.#underWay < AT_ONCE && this.#counted < A_MINUTE
  }

  /** Runs a lookup, which counts unless its answer is one that `isFree`. */
  async run<Answer>(lookUp: () => Promise<Answer>, isFree: (answer: Answer) => boolean = () => false): Promise<Answer> {
    this.#underWay++
    this.#counted++
    try {
      const answer = await lookUp()
      if (isFree(answer)) this.#counted--
      return answer
    } finally {
      this.#underWay--
    }
  }
}
