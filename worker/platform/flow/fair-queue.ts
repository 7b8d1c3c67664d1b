/** A request of an owner that waits for its turn, or has it. */
export interface FairQueuePlace {
  readonly owner: string
  /** How many of the same owner were before it when it came. */
  readonly round: number
  /** When it last said that it is there, and since when it works; milliseconds since 1970. */
  seen: number
  since: number
  /** Others came who had less in the queue than its owner. */
  refused: boolean
}

/** Silence (ms) after which one that waits counts as gone: a request that its client cancelled is never heard of again. */
const GONE_MS = 2_000

/**
 * For each ms that one who waits was woken late, a turn counts so much longer (ms), up to so long: where the isolate itself is
 * behind, turns take long for that reason, and more of them would only put it further behind.
 */
const HELD_PER_LATE = 10
const MOST_HELD_MS = 1_000

/** What a {@link FairQueue} may have. */
interface Limits {
  /** Turns that are counted as work at once. */
  atOnce: number
  mostWaiting: number
  /** After so long (ms) a turn counts no more, where the isolate is not behind: it waits for somebody else, or its client sends slowly. */
  heldMs: number
}

/**
 * Who of many may work: the first request of each owner goes before the second of any, and where the queue is full one of the
 * owner that has most in it is refused. So an owner with one request waits for others' first ones only, however many they
 * send. Each asks for itself, again and again, as in `SlotQueue`.
 */
export class FairQueue {
  readonly #limits: Limits
  #heldMs: number
  #working: FairQueuePlace[] = []
  /** By round, then as they came. */
  #waiting: FairQueuePlace[] = []

  constructor(limits: Limits) {
    this.#limits = limits
    this.#heldMs = limits.heldMs
  }

  /** Takes a place in the queue; `undefined` where it is full of others that have no more in it. */
  join(owner: string, now: number): FairQueuePlace | undefined {
    this.#forget(now)
    const round = [...this.#working, ...this.#waiting].filter((other) => other.owner === owner).length
    const turn = { owner, round, seen: now, since: now, refused: false }
    if (this.#waiting.length >= this.#limits.mostWaiting) {
      const last = this.#waiting.at(-1)
      if (!last || last.round <= round) return undefined
      last.refused = true
      this.#waiting.pop()
    }
    this.#insert(turn)
    return turn
  }

  /** Hears how late (ms) one who waits was woken to ask again. */
  wokenLate(lateMs: number): void {
    this.#heldMs = Math.min(this.#limits.heldMs + HELD_PER_LATE * Math.max(0, lateMs), MOST_HELD_MS)
  }

  /** Whether one that joined may work now; it is told at once where it is `refused`. */
  hasTurn(turn: FairQueuePlace, now: number): boolean {
    turn.seen = now
    this.#forget(now)
    if (turn.refused) return false
    // It was silent for too long, and forgotten.
    if (!this.#waiting.includes(turn)) this.#insert(turn)
    if (this.#waiting.indexOf(turn) >= this.#limits.atOnce - this.#working.length) return false
    this.#waiting = this.#waiting.filter((other) => other !== turn)
    turn.since = now
    this.#working.push(turn)
    return true
  }

  /** How often all that work must change before it is the turn of one that waits: 1 for those at the head. */
  roundsBefore(turn: FairQueuePlace): number {
    return 1 + Math.floor(Math.max(0, this.#waiting.indexOf(turn)) / this.#limits.atOnce)
  }

  /** Ends a turn, or the wait for one. */
  leave(turn: FairQueuePlace): void {
    this.#working = this.#working.filter((other) => other !== turn)
    this.#waiting = this.#waiting.filter((other) => other !== turn)
  }

  #insert(turn: FairQueuePlace): void {
    const behind = this.#waiting.findIndex(({ round }) => round > turn.round)
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, turn)
  }

  #forget(now: number): void {
    this.#working = this.#working.filter(({ since }) => now - since < this.#heldMs)
    this.#waiting = this.#waiting.filter(({ seen }) => now - seen < GONE_MS)
  }
}
