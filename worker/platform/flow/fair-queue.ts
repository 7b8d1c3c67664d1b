/** A request that waits in a {@link FairQueue}, or runs. */
export interface FairQueuePlace {
  readonly owner: string
  /** Whether it goes before all that are not. */
  readonly first: boolean
  /** How many requests of the same owner were in the queue when it joined. */
  readonly round: number
  /** When it last polled, and since when it runs; milliseconds since 1970. */
  seen: number
  since: number
  /** It was evicted for a request of an owner with fewer in the queue. */
  refused: boolean
}

/** Milliseconds without a poll after which a waiting request counts as gone: a cancelled one stops without notice. */
const GONE_MS = 2_000

/**
 * For each ms that a timer fired late, a running request counts this many ms longer, up to a maximum: where the isolate
 * itself is overloaded, requests take longer for that reason, and starting more would make it worse.
 */
const HELD_PER_LATE = 10
const MOST_HELD_MS = 1_000

/**
 * Where a timer fired this late (ms) or later, only a part of the requests run at once: more would only make each take
 * longer (`hostile/filling` for 100 s: 99 % of a customer's acts within 3.6 s, 4.5 s without this).
 */
const LATE_MS = 50
const PART_WHEN_LATE = 4

/** The limits of a {@link FairQueue}. */
interface Limits {
  /** How many requests run at once. */
  atOnce: number
  mostWaiting: number
  /** After this time (ms) a running request does not count any more: it waits for a node, or its client is slow. */
  heldMs: number
}

/**
 * A queue in which the first request of each owner goes before the second of any. Where it is full, the last request of
 * the owner with the most is evicted. So an owner with one request waits only for the first ones of others, however many
 * they send (`hostile/filling`: without it, at 200 requests a second, none was answered in 10 s). Requests poll, as in
 * `SlotQueue`.
 */
export class FairQueue {
  readonly #limits: Limits
  #heldMs: number
  #atOnce: number
  #working: FairQueuePlace[] = []
  /** Those that are `first`, then the others; each by round, then by arrival. */
  #waiting: FairQueuePlace[] = []

  constructor(limits: Limits) {
    this.#limits = limits
    this.#heldMs = limits.heldMs
    this.#atOnce = limits.atOnce
  }

  /**
   * Adds a request, before all that are not `first` if it is; `undefined` where the queue is full of owners that have no
   * more requests in it than this one.
   */
  join(owner: string, now: number, first = false): FairQueuePlace | undefined {
    this.#forget(now)
    const round = [...this.#working, ...this.#waiting].filter((other) => other.owner === owner).length
    const turn = { owner, first, round, seen: now, since: now, refused: false }
    if (this.#waiting.length >= this.#limits.mostWaiting) {
      const last = this.#waiting.at(-1)
      if (!last || !goesBefore(turn, last)) return undefined
      last.refused = true
      this.#waiting.pop()
    }
    this.#insert(turn)
    return turn
  }

  /** Records how late (ms) the timer of a waiting request fired. */
  wokenLate(lateMs: number): void {
    const { atOnce } = this.#limits
    this.#atOnce = lateMs < LATE_MS ? atOnce : Math.ceil(atOnce / PART_WHEN_LATE)
    this.#heldMs = Math.min(this.#limits.heldMs + HELD_PER_LATE * Math.max(0, lateMs), MOST_HELD_MS)
  }

  /** Whether a request that joined may run now; false also where it was `refused`. */
  hasTurn(turn: FairQueuePlace, now: number): boolean {
    turn.seen = now
    this.#forget(now)
    if (turn.refused) return false
    // It did not poll for too long and was removed.
    if (!this.#waiting.includes(turn)) this.#insert(turn)
    if (this.#waiting.indexOf(turn) >= this.#atOnce - this.#working.length) return false
    this.#waiting = this.#waiting.filter((other) => other !== turn)
    turn.since = now
    this.#working.push(turn)
    return true
  }

  /** How many times all running requests must end before a waiting one runs: 1 for those at the head. */
  roundsBefore(turn: FairQueuePlace): number {
    return 1 + Math.floor(Math.max(0, this.#waiting.indexOf(turn)) / this.#atOnce)
  }

  /** Removes a request, running or waiting. */
  leave(turn: FairQueuePlace): void {
    this.#working = this.#working.filter((other) => other !== turn)
    this.#waiting = this.#waiting.filter((other) => other !== turn)
  }

  #insert(turn: FairQueuePlace): void {
    const behind = this.#waiting.findIndex((other) => goesBefore(turn, other))
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, turn)
  }

  #forget(now: number): void {
    this.#working = this.#working.filter(({ since }) => now - since < this.#heldMs)
    this.#waiting = this.#waiting.filter(({ seen }) => now - seen < GONE_MS)
  }
}

function goesBefore(turn: FairQueuePlace, other: FairQueuePlace): boolean {
  return turn.first === other.first ? turn.round < other.round : turn.first
}
