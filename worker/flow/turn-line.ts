/** One that waits for a turn or has it. */
export interface Turn {
  /** When it last said that it is there, in milliseconds since 1970. */
  seen: number
  /** It has a turn that it does not use right now. */
  resting: boolean
}

/** Silence (ms) after which one counts as gone: a request that its client cancelled is never heard of again. */
const GONE_MS = 2000

/**
 * Who of many may work: so many at once, so many wait in order. Each asks for itself, again and again: in Workers one
 * request must not wait for a promise of another, which may have been cancelled.
 */
export class TurnLine {
  readonly #atOnce: number
  readonly #mostWaiting: number
  #running: Turn[] = []
  #waiting: Turn[] = []

  constructor(atOnce: number, mostWaiting: number) {
    this.#atOnce = atOnce
    this.#mostWaiting = mostWaiting
  }

  /** Whether it has a turn. */
  has(turn: Turn): boolean {
    return this.#running.includes(turn)
  }

  /** Takes a place; one that has begun goes before those that have not. False when the line is full. */
  join(turn: Turn, now: number, begun: boolean): boolean {
    turn.seen = now
    turn.resting = false
    if (this.has(turn) || this.#waiting.includes(turn)) return true
    this.#forget(now)
    if (begun) this.#waiting.unshift(turn)
    else if (this.#waiting.length < this.#mostWaiting || this.#running.length < this.#atOnce) this.#waiting.push(turn)
    else return false
    return true
  }

  /** Whether one that joined may work now. */
  mayRun(turn: Turn, now: number): boolean {
    turn.seen = now
    if (this.has(turn)) return true
    this.#forget(now)
    const place = this.#waiting.indexOf(turn)
    // It was silent for too long, and forgotten.
    if (place < 0) this.#waiting.unshift(turn)
    const free = this.#atOnce - this.#running.filter(({ resting }) => !resting).length
    if (Math.max(0, place) >= free) return false
    this.#waiting = this.#waiting.filter((other) => other !== turn)
    if (this.#running.length >= this.#atOnce) {
      const given = this.#running.findIndex(({ resting }) => resting)
      this.#running.splice(given, 1)
    }
    this.#running.push(turn)
    return true
  }

  #forget(now: number): void {
    const isThere = ({ seen }: Turn) => now - seen < GONE_MS
    this.#running = this.#running.filter(isThere)
    this.#waiting = this.#waiting.filter(isThere)
  }
}
