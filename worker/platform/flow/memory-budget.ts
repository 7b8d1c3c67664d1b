import { now } from '../clock.ts'
import { unavailable } from '../http/errors.ts'
import { LONGEST_WAIT_MS } from './longest-wait.ts'

/** Bytes that all requests of an isolate share, for contents that must be in memory whole, for decoders and readers. */
const ISOLATE_BYTES = 48 << 20
/** While others wait, one client has at most this fraction of the bytes. */
const CLIENT_PARTS = 4
/**
 * The most shares in use at once: a few requests at full speed release their bytes sooner than many slow ones. A share is
 * not counted whose client has read nothing for SLOW_MS.
 */
const AT_ONCE = 6
const SLOW_MS = 100
const MAX_WAITING = 256
const POLL_MS = 10
/** Milliseconds without a poll, or a use, after which a request counts as gone: a cancelled one stops without notice. */
const GONE_MS = 2_000
const HELD_MS = 30_000
const RETRY_AFTER_SECONDS = 10

/** What requests take a share for: contents in memory whole, decoders, readers of contents of a chain, and of IPFS files. */
export type MemoryUse = 'gather' | 'decode' | 'read' | 'ipfs'
const USES = 4
/** What nobody waits for, and is given up as soon as somebody waits, has at most this fraction of the bytes. */
const KEPT_PARTS = 2

/** Bytes of a {@link MemoryBudget} that one request has. */
export class MemoryShare {
  readonly use: MemoryUse | 'keep'
  readonly client: string | undefined
  readonly lose: () => void
  /** When it was last used, in milliseconds since 1970. */
  seen = 0
  /** When its bytes were last used; 0 for those of blocks that are read ahead. */
  worked = 0
  /** Whether the request has another share already. */
  begun = false
  readonly #budget: MemoryBudget
  #bytes: number
  #users = 1

  /** `lose` is called when the share was unused for HELD_MS and is released for others: it must free the memory. */
  constructor(
    budget: MemoryBudget,
    { use, client, bytes }: { use: MemoryUse | 'keep'; client: string | undefined; bytes: number },
    lose: () => void,
  ) {
    this.use = use
    this.client = client
    this.#budget = budget
    this.#bytes = bytes
    this.lose = lose
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether the request still has it. */
  get isHeld(): boolean {
    return this.#budget.has(this)
  }

  /** Marks it as used. @throws {AppError} 503 `busy` if it was released for others. */
  touch(): void {
    if (!this.isHeld) throw busy()
    this.seen = this.worked = now()
  }

  /** Releases all but so many bytes. */
  shrink(bytes: number): void {
    this.#bytes = Math.min(this.#bytes, bytes)
  }

  /** Adds a user: the bytes are free once each user has called `release`. */
  retain(): void {
    this.#users++
  }

  release(): void {
    this.#users--
    if (this.#users === 0) this.#budget.leave(this)
  }
}

/**
 * A number of bytes that requests share. Each use has a queue of its own, in order of arrival: in one queue with the
 * decoders of sixty requests, or with thirty IPFS files of 100 MB, thirty readers of 16 MiB got no byte in 12 s.
 */
export class MemoryBudget {
  readonly #most: number
  readonly #mostKept: number
  #held: MemoryShare[] = []
  /** What is kept for readers to come, the least recently used first. */
  #kept: MemoryShare[] = []
  #waiting: MemoryShare[] = []

  /** `most` in bytes, and of them the most for what is kept. */
  constructor(most: number, mostKept = most / KEPT_PARTS) {
    this.#most = most
    this.#mostKept = mostKept
  }

  get used(): number {
    return sum(this.#held) + sum(this.#kept)
  }

  has(share: MemoryShare): boolean {
    return this.#held.includes(share)
  }

  /** Adds a share to the queue, at its head where the request has another share. Returns false where the queue is full. */
  join(share: MemoryShare, time: number, begun: boolean): boolean {
    this.#forgetGone(time)
    if (this.#waiting.length >= MAX_WAITING) return false
    share.seen = time
    share.begun = begun
    if (begun) this.#waiting.unshift(share)
    else this.#waiting.push(share)
    return true
  }

  /** How many wait for the same use before it. */
  before(share: MemoryShare): number {
    return this.#waiting.filter(({ use }) => use === share.use).indexOf(share)
  }

  /** Whether a share that joined has its bytes now. */
  mayHave(share: MemoryShare, time: number): boolean {
    share.seen = time
    this.#forgetGone(time)
    // It did not poll for too long and was removed.
    if (!this.#waiting.includes(share)) this.#waiting.unshift(share)
    const line = this.#waiting.filter(({ use }) => use === share.use)
    if (line.find((one) => this.#isWithinPart(one)) !== share) return false
    // Where it waits for fewer readers and not for bytes, giving up helps nobody: eight readers of one content put it out.
    if (this.used + share.bytes > this.#most) this.#giveUpKept()
    if (!this.#fits(share, time)) this.#loseSilent(time)
    if (!this.#fits(share, time)) return false
    share.worked = time
    this.#waiting = this.#waiting.filter((other) => other !== share)
    this.#held.push(share)
    return true
  }

  /** Whether the share received its bytes: they were free and no request waited. */
  takeFree(share: MemoryShare, time: number): boolean {
    if (this.#waiting.length > 0) return false
    if (this.used + share.bytes > this.#most) this.#giveUpKept()
    if (this.used + share.bytes > this.#most) return false
    share.seen = time
    this.#held.push(share)
    return true
  }

  /**
   * Whether there is room to keep what nobody waits for. The least recently used gives way to it; what somebody still reads
   * keeps its bytes until the last reader releases it, though it was given up.
   */
  keep(share: MemoryShare): boolean {
    if (this.#waiting.length > 0 || share.bytes > this.#mostKept || sum(this.#held) + share.bytes > this.#most)
      return false
    for (const oldest of [...this.#kept]) {
      if (this.#hasRoomFor(share)) break
      oldest.lose()
    }
    if (!this.#hasRoomFor(share)) return false
    this.#kept.push(share)
    return true
  }

  /** Marks what is kept as the most recently used. */
  use(share: MemoryShare): void {
    this.#kept = [...this.#kept.filter((other) => other !== share), share]
  }

  leave(share: MemoryShare): void {
    this.#held = this.#held.filter((other) => other !== share)
    this.#kept = this.#kept.filter((other) => other !== share)
    this.#waiting = this.#waiting.filter((other) => other !== share)
  }

  /** Whether the client has at most its fraction; without an address each request counts as a client of its own. */
  #isWithinPart({ client, bytes }: MemoryShare): boolean {
    const held = this.#held.filter((other) => client !== undefined && other.client === client)
    if (held.length === 0 || this.#waiting.every((other) => other.client === client)) return true
    return sum(held) + bytes <= this.#most / CLIENT_PARTS
  }

  /**
   * Whether there are bytes for it, and few enough shares are in use. While several uses wait, each use may have the
   * fraction of both that it has of all who wait; of the bytes at least a quarter, or slow clients could hold all of it.
   */
  #fits(share: MemoryShare, time: number): boolean {
    // A share of more than all bytes is possible where there is no other.
    if (this.used === 0) return true
    if (this.used + share.bytes > this.#most) return false
    const part = this.#waiting.filter(({ use }) => use === share.use).length / this.#waiting.length
    const held = part === 1 ? this.#held : this.#held.filter(({ use }) => use === share.use)
    if (held.length > 0 && sum(held) + share.bytes > this.#most * Math.max(part, 1 / USES)) return false
    const active = held.filter(({ worked }) => time - worked < SLOW_MS)
    return share.begun || active.length === 0 || active.length < AT_ONCE * part
  }

  #hasRoomFor({ bytes }: MemoryShare): boolean {
    return sum(this.#kept) + bytes <= this.#mostKept && this.used + bytes <= this.#most
  }

  #giveUpKept(): void {
    for (const share of [...this.#kept]) share.lose()
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

/** What all requests of this isolate share. */
export const isolateBudget = new MemoryBudget(ISOLATE_BYTES)

/** Waits for bytes of the isolate's budget for one client; {@link memoryOf}. */
export type TakeMemory = (use: MemoryUse, bytes: number, options?: TakeOptions) => Promise<MemoryShare>

interface TakeOptions {
  /** The request has a share already, so it goes before those that have none. */
  begun?: boolean
  /** Frees what the bytes hold, where the share was not used for half a minute. */
  lose?: () => void
}

/**
 * A function that waits for bytes of the isolate's budget. The caller calls `touch` while it uses them, and `release` at
 * the end. `client`: the client's address, `undefined` where it is unknown.
 * @throws {AppError} 503 `busy` after 10 s, or where too many wait.
 */
export function memoryOf(client: string | undefined, budget = isolateBudget): TakeMemory {
  return async (use, bytes, { begun = false, lose = () => {} } = {}) => {
    const share = new MemoryShare(budget, { use, client, bytes }, lose)
    const until = now() + LONGEST_WAIT_MS
    if (!budget.join(share, now(), begun)) throw busy()
    while (!budget.mayHave(share, now())) {
      if (now() >= until) {
        budget.leave(share)
        throw busy()
      }
      // No promise of another request is awaited, because that may have been cancelled. The more wait before it, the
      // less often it polls.
      await scheduler.wait(POLL_MS * (1 + Math.floor(budget.before(share) / AT_ONCE)))
    }
    return share
  }
}

/** The same for a request that has a share already, so it goes before those that have none. */
export function withPriority(take: TakeMemory): TakeMemory {
  return (use, bytes, options) => take(use, bytes, { ...options, begun: true })
}

/** Bytes of the isolate's budget; `undefined` where they are not free or a request waits. */
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
