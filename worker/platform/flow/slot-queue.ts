/** One that waits for a turn or has it. */
export interface QueuePlace {
  /** When it last said that it is there, in milliseconds since 1970. */
  seen: number
  /** It has a turn that it does not use right now. */
  paused: boolean
  /** Whose it is, where one may have only so many places. */
  owner?: string | undefined
}

/** Silence (ms) after which one counts as gone: a request that its client cancelled is never heard of again. */
const GONE_MS = 2000

/**
 * Who of many may work: so many at once, so many wait in order. Each asks for itself, again and again: in Workers one
 * request must not wait for a promise of another, which may have been cancelled. The entrance to IPFS, hashes of passwords
 * and large walks stand in such lines: one walk holds up to 51 MB (`hostile/memory`) of an isolate's 128.
 */
export class SlotQueue {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #heldMs: number
  readonly #mostOfOne: number
  #running: QueuePlace[] = []
  #waiting: QueuePlace[] = []

  /** `heldMs`: silence after which one loses its turn, in milliseconds. `mostOfOne`: places that one owner may have. */
  constructor(atOnce: number, mostWaiting: number, { heldMs = GONE_MS, mostOfOne = Number.POSITIVE_INFINITY } = {}) {
    this.#atOnce = atOnce
    this.#mostWaiting = mostWaiting
    this.#heldMs = heldMs
    this.#mostOfOne = mostOfOne
  }

  /** Whether nobody has a turn or waits for one. */
  get isEmpty(): boolean {
    return this.#running.length + this.#waiting.length === 0
  }

  /** Whether one that comes now finds no place. */
  isFull(now: number): boolean {
    this.#forget(now)
    return this.#waiting.length >= this.#mostWaiting && this.#running.length >= this.#atOnce
  }

  /** Whether it has a turn. */
  has(turn: QueuePlace): boolean {
    return this.#running.includes(turn)
  }

  /** Takes a place; one that has begun goes before those that have not. False when the queue, or its owner's part of it, is full. */
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

  /** Whether one that joined may work now. */
  mayRun(turn: QueuePlace, now: number): boolean {
    turn.seen = now
    if (this.has(turn)) return true
    this.#forget(now)
    const place = this.#waiting.indexOf(turn)
    // It was silent for too long, and forgotten.
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

  /** How often all that work must change before it is the turn of one that waits: 1 for those at the head. */
  roundsBefore(turn: QueuePlace): number {
    return 1 + Math.floor(Math.max(0, this.#waiting.indexOf(turn)) / this.#atOnce)
  }

  /** Ends a turn, if it has one. */
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
