/** A request that waits for a slot or has one. */
export interface QueuePlace {
  /** When it last polled, in milliseconds since 1970. */
  seen: number
  /** It has a slot that it does not use at the moment. */
  paused: boolean
  /** Who sent it, where the places of one owner are limited. */
  owner?: string | undefined
}

/** Milliseconds without a poll after which a request counts as gone: a cancelled one stops without notice. */
const GONE_MS = 2000

/**
 * A queue for a number of slots, in order of arrival. Requests poll: in Workers one request must not await a promise of
 * another, which may have been cancelled. Used for requests for IPFS, password hashes, and walks of large DAGs, one of
 * which holds up to 51 MB (`hostile/memory`) of an isolate's 128.
 */
export class SlotQueue {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #heldMs: number
  readonly #mostOfOne: number
  #running: QueuePlace[] = []
  #waiting: QueuePlace[] = []

  /** `heldMs`: milliseconds without a poll after which a request loses its slot. `mostOfOne`: places of one owner. */
  constructor(atOnce: number, mostWaiting: number, { heldMs = GONE_MS, mostOfOne = Number.POSITIVE_INFINITY } = {}) {
    this.#atOnce = atOnce
    this.#mostWaiting = mostWaiting
    this.#heldMs = heldMs
    this.#mostOfOne = mostOfOne
  }

  /** Whether no request has a slot or waits for one. */
  get isEmpty(): boolean {
    return this.#running.length + this.#waiting.length === 0
  }

  /** Whether a new request is rejected. */
  isFull(now: number): boolean {
    this.#forget(now)
    return this.#waiting.length >= this.#mostWaiting && this.#running.length >= this.#atOnce
  }

  /** Whether a request has a slot. */
  has(turn: QueuePlace): boolean {
    return this.#running.includes(turn)
  }

  /** Adds a request, at the head where it has `begun`. Returns false where the queue, or its owner's part of it, is full. */
  join(turn: QueuePlace, now: number, begun: boolean): boolean {
    turn.seen = now
    turn.paused = false
    if (this.has(turn) || this.#waiting.includes(turn)) return true
    if (begun) {
      this.#forget(now)
      this.#waiting.unshift(turn)
    } else if (this.isFull(now) || this.#placesOf(turn.owner) >= this.#mostOfOne) return false
    else this.#waiting.push(turn)
    return true
  }

  /** Whether a request that joined may run now. */
  mayRun(turn: QueuePlace, now: number): boolean {
    turn.seen = now
    if (this.has(turn)) return true
    this.#forget(now)
    const place = this.#waiting.indexOf(turn)
    // It did not poll for too long and was removed.
    if (place < 0) this.#waiting.unshift(turn)
    const free = this.#atOnce - this.#running.filter(({ paused }) => !paused).length
    if (Math.max(0, place) >= free) return false
    this.#waiting = this.#waiting.filter((other) => other !== turn)
    if (this.#running.length >= this.#atOnce) {
      const given = this.#running.findIndex(({ paused }) => paused)
      this.#running.splice(given, 1)
    }
    this.#running.push(turn)
    return true
  }

  /** How many times all running requests must end before a waiting one runs: 1 for those at the head. */
  roundsBefore(turn: QueuePlace): number {
    return 1 + Math.floor(Math.max(0, this.#waiting.indexOf(turn)) / this.#atOnce)
  }

  /** Releases the slot of a request, if it has one. */
  leave(turn: QueuePlace): void {
    this.#running = this.#running.filter((other) => other !== turn)
  }

  #placesOf(owner: string | undefined): number {
    if (owner === undefined) return 0
    return [...this.#running, ...this.#waiting].filter((turn) => turn.owner === owner).length
  }

  #forget(now: number): void {
    const isSilent = ({ seen }: QueuePlace, ms: number) => now - seen >= ms
    this.#running = this.#running.filter((turn) => !isSilent(turn, this.#heldMs))
    this.#waiting = this.#waiting.filter((turn) => !isSilent(turn, GONE_MS))
  }
}
