import { now } from '../clock.ts'
import { unavailable } from '../http/errors.ts'

/** What all requests of an isolate may have in memory of contents that must be whole there, and to decode (bytes). */
const ISOLATE_BYTES = 48 << 20
/** While others wait, one client has at most one part of so many. */
const CLIENT_PARTS = 4
/**
 * What is no more than one of so many parts waits in a line of its own: beside sixty decoders of 18 MiB, thirty readers of
 * less than 1 MiB had nothing in 12 s. Where both lines wait, each has at most half of the bytes.
 */
const SMALL_PARTS = 16
const MAX_WAITING = 256
const WAIT_MS = 12_000
const POLL_MS = 10
/** Silence (ms) after which one that waits, or has a share, counts as gone: a cancelled request is never heard of again. */
const GONE_MS = 2_000
const HELD_MS = 30_000
const RETRY_AFTER_SECONDS = 10

/** Bytes of a {@link MemoryBudget} that one request has. */
export class MemoryShare {
  readonly client: string | undefined
  /** When it was last used, in milliseconds since 1970. */
  seen = 0
  readonly #budget: MemoryBudget
  readonly #lose: () => void
  #bytes: number
  #users = 1

  /** `lose` is called when the share was not used for so long that others get it: it drops what the bytes were for. */
  constructor(budget: MemoryBudget, client: string | undefined, bytes: number, lose: () => void) {
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
    this.seen = now()
  }

  /** Gives back what is above so many bytes. */
  shrink(bytes: number): void {
    this.#bytes = Math.min(this.#bytes, bytes)
  }

  /** Has it released once more before its bytes are given back. */
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

/** A number of bytes that requests share, small shares and large ones each in the order in which they come. */
export class MemoryBudget {
  readonly #most: number
  #held: MemoryShare[] = []
  #waiting: MemoryShare[] = []

  /** `most` in bytes. */
  constructor(most: number) {
    this.#most = most
  }

  get used(): number {
    return this.#held.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  has(share: MemoryShare): boolean {
    return this.#held.includes(share)
  }

  /** Takes a place in the line; before all others where the request has another share already. False when it is full. */
  join(share: MemoryShare, time: number, begun: boolean): boolean {
    this.#forgetGone(time)
    if (this.#waiting.length >= MAX_WAITING) return false
    share.seen = time
    if (begun) this.#waiting.unshift(share)
    else this.#waiting.push(share)
    return true
  }

  /** Whether one that joined has its bytes now. */
  mayHave(share: MemoryShare, time: number): boolean {
    share.seen = time
    this.#forgetGone(time)
    // It was silent for too long, and forgotten.
    if (!this.#waiting.includes(share)) this.#waiting.unshift(share)
    const line = this.#waiting.filter((one) => this.#isSmall(one) === this.#isSmall(share))
    if (line.find((one) => this.#isWithinPart(one)) !== share) return false
    // More than there is in all is for one that is alone.
    const fits = () => this.used === 0 || (this.used + share.bytes <= this.#most && this.#isWithinHalf(share))
    if (!fits()) this.#loseSilent(time)
    if (!fits()) return false
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
    return held.reduce((sum, other) => sum + other.bytes, bytes) <= this.#most / CLIENT_PARTS
  }

  #isSmall({ bytes }: MemoryShare): boolean {
    return bytes <= this.#most / SMALL_PARTS
  }

  /** Whether its line has no more than half, or the other line waits for nothing. */
  #isWithinHalf(share: MemoryShare): boolean {
    const small = this.#isSmall(share)
    if (this.#waiting.every((other) => this.#isSmall(other) === small)) return true
    const held = this.#held.filter((other) => this.#isSmall(other) === small)
    return held.length === 0 || held.reduce((sum, { bytes }) => sum + bytes, share.bytes) <= this.#most / 2
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

const isolateBudget = new MemoryBudget(ISOLATE_BYTES)

/** Takes bytes of the isolate's budget for one client; {@link memoryOf}. */
export type TakeMemory = (bytes: number, options?: TakeOptions) => Promise<MemoryShare>

interface TakeOptions {
  /** The request has a share already: it goes before those that have none. */
  begun?: boolean
  /** Drops what the bytes were for, where the share was not used for half a minute. */
  lose?: () => void
}

/**
 * Bytes of the isolate's budget, once it is the caller's turn; to be touched while they are used, and released. `client`:
 * the address of who asks, `undefined` where it is not known.
 * @throws {AppError} 503 `busy` after 12 s, or when too many wait.
 */
export function memoryOf(client: string | undefined, budget = isolateBudget): TakeMemory {
  return async (bytes, { begun = false, lose = () => {} } = {}) => {
    const share = new MemoryShare(budget, client, bytes, lose)
    const until = now() + WAIT_MS
    if (!budget.join(share, now(), begun)) throw busy()
    while (!budget.mayHave(share, now())) {
      if (now() >= until) {
        budget.leave(share)
        throw busy()
      }
      // No promise of another request is awaited, since that may have been cancelled.
      await scheduler.wait(POLL_MS)
    }
    return share
  }
}

/** Bytes of the isolate's budget, if they are free at once and nobody waits for some. */
export function freeMemoryOf(
  client: string | undefined,
  bytes: number,
  budget = isolateBudget,
): MemoryShare | undefined {
  const share = new MemoryShare(budget, client, bytes, () => {})
  return budget.takeFree(share, now()) ? share : undefined
}

function busy(): Error {
  const message = 'Too much large content is being answered right now. Try again in a few seconds.'
  return unavailable('busy', message, { retryAfter: RETRY_AFTER_SECONDS })
}
