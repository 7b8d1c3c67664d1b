import { now } from '../clock.ts'
import { unavailable } from '../http/errors.ts'

/** What all requests of an isolate may have in memory of contents that must be whole there, and to decode (bytes). */
const ISOLATE_BYTES = 48 << 20
/** While others wait, one client has at most one part of so many. */
const CLIENT_PARTS = 4
/**
 * Shares that are worked with at once. One that its client has read nothing of for so long (ms) is not counted: few at full
 * speed return their bytes sooner than many at a slow one.
 */
const AT_ONCE = 6
const SLOW_MS = 100
const MAX_WAITING = 256
const WAIT_MS = 14_000
const POLL_MS = 10
/** Silence (ms) after which one that waits, or has a share, counts as gone: a cancelled request is never heard of again. */
const GONE_MS = 2_000
const HELD_MS = 30_000
const RETRY_AFTER_SECONDS = 10

/** What a share is for: contents that are gathered whole, decoders, readers of contents of a chain, and of IPFS files. */
export type MemoryUse = 'gather' | 'decode' | 'read' | 'ipfs'
const USES = 4

/** Bytes of a {@link MemoryBudget} that one request has. */
export class MemoryShare {
  readonly use: MemoryUse
  readonly client: string | undefined
  /** When it was last used, in milliseconds since 1970. */
  seen = 0
  /** When its bytes were last worked with; never for those that are lent ahead. */
  worked = 0
  /** Whether the request that wants it has another one. */
  begun = false
  readonly #budget: MemoryBudget
  readonly #lose: () => void
  #bytes: number
  #users = 1

  /** `lose` is called when the share was not used for so long that others get it: it drops what the bytes were for. */
  constructor(
    budget: MemoryBudget,
    { use, client, bytes }: { use: MemoryUse; client: string | undefined; bytes: number },
    lose: () => void,
  ) {
    this.use = use
    this.client = client
    this.#budget = budget
    this.#bytes = bytes
    this.#lose = lose
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether it was not given to others. */
  get isHeld(): boolean {
    return this.#budget.has(this)
  }

  /** Says that it is used. @throws {AppError} 503 `busy` when others have it by now. */
  touch(): void {
    if (!this.isHeld) throw busy()
    this.seen = this.worked = now()
  }

  /** Gives back what is above so many bytes. */
  shrink(bytes: number): void {
    this.#bytes = Math.min(this.#bytes, bytes)
  }

  /** Has it released once more before its bytes are returned. */
  retain(): void {
    this.#users++
  }

  release(): void {
    this.#users--
    if (this.#users === 0) this.#budget.leave(this)
  }

  lose(): void {
    this.#lose()
  }
}

/**
 * A number of bytes that requests share. Each use has a line of its own, in the order in which they come: beside the decoders
 * of sixty requests, or thirty IPFS files of 100 MB, thirty readers of 16 MiB had nothing in 12 s.
 */
export class MemoryBudget {
  readonly #most: number
  #held: MemoryShare[] = []
  #waiting: MemoryShare[] = []

  /** `most` in bytes. */
  constructor(most: number) {
    this.#most = most
  }

  get used(): number {
    return sum(this.#held)
  }

  has(share: MemoryShare): boolean {
    return this.#held.includes(share)
  }

  /** Takes a place in the line; before all others where the request has another share already. False when it is full. */
  join(share: MemoryShare, time: number, begun: boolean): boolean {
    this.#forgetGone(time)
    if (this.#waiting.length >= MAX_WAITING) return false
    share.seen = time
    share.begun = begun
    if (begun) this.#waiting.unshift(share)
    else this.#waiting.push(share)
    return true
  }

  /** How many wait before it for the same use. */
  before(share: MemoryShare): number {
    return this.#waiting.filter(({ use }) => use === share.use).indexOf(share)
  }

  /** Whether one that joined has its bytes now. */
  mayHave(share: MemoryShare, time: number): boolean {
    share.seen = time
    this.#forgetGone(time)
    // It was silent for too long, and forgotten.
    if (!this.#waiting.includes(share)) this.#waiting.unshift(share)
    const line = this.#waiting.filter(({ use }) => use === share.use)
    if (line.find((one) => this.#isWithinPart(one)) !== share) return false
    if (!this.#fits(share, time)) this.#loseSilent(time)
    if (!this.#fits(share, time)) return false
    share.worked = time
    this.#waiting = this.#waiting.filter((other) => other !== share)
    this.#held.push(share)
    return true
  }

  /** Gives a share its bytes if they are free and nobody waits for some. */
  takeFree(share: MemoryShare, time: number): boolean {
    if (this.#waiting.length > 0 || this.used + share.bytes > this.#most) return false
    share.seen = time
    this.#held.push(share)
    return true
  }

  leave(share: MemoryShare): void {
    this.#held = this.#held.filter((other) => other !== share)
    this.#waiting = this.#waiting.filter((other) => other !== share)
  }

  /** Whether a client has no more than its part; without an address each request is a client of its own. */
  #isWithinPart({ client, bytes }: MemoryShare): boolean {
    const held = this.#held.filter((other) => client !== undefined && other.client === client)
    if (held.length === 0 || this.#waiting.every((other) => other.client === client)) return true
    return sum(held) + bytes <= this.#most / CLIENT_PARTS
  }

  /**
   * Whether there are bytes for it, and few enough are worked with. While several uses wait, of both a use has the part that it
   * is of all who wait; of the bytes a quarter at the least, lest slow clients hold all that it may have.
   */
  #fits(share: MemoryShare, time: number): boolean {
    // More than there is in all is for one that is alone.
    if (this.used === 0) return true
    if (this.used + share.bytes > this.#most) return false
    const part = this.#waiting.filter(({ use }) => use === share.use).length / this.#waiting.length
    const held = part === 1 ? this.#held : this.#held.filter(({ use }) => use === share.use)
    if (held.length > 0 && sum(held) + share.bytes > this.#most * Math.max(part, 1 / USES)) return false
    const active = held.filter(({ worked }) => time - worked < SLOW_MS)
    return share.begun || active.length === 0 || active.length < AT_ONCE * part
  }

  #forgetGone(time: number): void {
    this.#waiting = this.#waiting.filter(({ seen }) => time - seen < GONE_MS)
  }

  #loseSilent(time: number): void {
    const gone = this.#held.filter(({ seen }) => time - seen >= HELD_MS)
    this.#held = this.#held.filter((share) => !gone.includes(share))
    for (const share of gone) share.lose()
  }
}

function sum(shares: readonly MemoryShare[]): number {
  return shares.reduce((all, { bytes }) => all + bytes, 0)
}

const isolateBudget = new MemoryBudget(ISOLATE_BYTES)

/** Takes bytes of the isolate's budget for one client; {@link memoryOf}. */
export type TakeMemory = (use: MemoryUse, bytes: number, options?: TakeOptions) => Promise<MemoryShare>

interface TakeOptions {
  /** The request has a share already: it goes before those that have none. */
  begun?: boolean
  /** Drops what the bytes were for, where the share was not used for half a minute. */
  lose?: () => void
}

/**
 * Bytes of the isolate's budget, once it is the caller's turn; to be touched while they are used, and released. `client`:
 * the address of who asks, `undefined` where it is not known.
 * @throws {AppError} 503 `busy` after 14 s, or when too many wait.
 */
export function memoryOf(client: string | undefined, budget = isolateBudget): TakeMemory {
  return async (use, bytes, { begun = false, lose = () => {} } = {}) => {
    const share = new MemoryShare(budget, { use, client, bytes }, lose)
    const until = now() + WAIT_MS
    if (!budget.join(share, now(), begun)) throw busy()
    while (!budget.mayHave(share, now())) {
      if (now() >= until) {
        budget.leave(share)
        throw busy()
      }
      // No promise of another request is awaited, since that may have been cancelled. Who has many before it asks less often.
      await scheduler.wait(POLL_MS * (1 + Math.floor(budget.before(share) / AT_ONCE)))
    }
    return share
  }
}

/** For a request that has a share: it goes before those that have none. */
export function withPriority(take: TakeMemory): TakeMemory {
  return (use, bytes, options) => take(use, bytes, { ...options, begun: true })
}

/** Bytes of the isolate's budget, if they are free at once and nobody waits for some. */
export function freeMemoryOf(
  use: MemoryUse,
  client: string | undefined,
  bytes: number,
  budget = isolateBudget,
): MemoryShare | undefined {
  const share = new MemoryShare(budget, { use, client, bytes }, () => {})
  return budget.takeFree(share, now()) ? share : undefined
}

function busy(): Error {
  const message = 'Too much large content is being answered right now. Try again in a few seconds.'
  return unavailable('busy', message, { retryAfter: RETRY_AFTER_SECONDS })
}
