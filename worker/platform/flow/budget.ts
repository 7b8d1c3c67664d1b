import { now } from '../clock.ts'
import { LoopShare } from './loop-share.ts'
import type { SlotQueue } from './slot-queue.ts'
import { waitForSlot } from './wait-for-slot.ts'

/** What one request may cost. A unit of work is some 60 µs of CPU at most: a block of 1 KiB of links, read and decoded. */
export interface Limits {
  /** Units beyond what the bytes sent account for, from which on requests take turns. */
  free: number
  /** Units beyond what the bytes sent account for, in all. */
  units: number
  /** Units that each MiB sent accounts for. */
  unitsPerMib: number
  /** Bytes sent in all. */
  bytes: number
}

/** What is thrown, as its user words it, and what is called. */
export interface BudgetCalls {
  /** More work, or more bytes, than one request may cause. */
  exceeded: () => Error
  /** Too many requests wait for their turn. */
  busy: () => Error
  /** It takes turns from here on. */
  takesTurns?: () => void
}

/** Units after which the requests of an isolate return to the event loop: less than 10 ms. */
const PORTION = 100

const isolateShare = new LoopShare(PORTION)

/** Lets the event loop answer others before the caller's next portion, which takes some milliseconds. */
export function returnToEventLoop(): Promise<void> {
  return isolateShare.wait(PORTION)
}

/**
 * Counts work that the caller does next as the isolate's, in units of a {@link Budget}; what it returns is to be awaited
 * before: nothing while there is room in the portion, or the wait for another one.
 */
export function shareEventLoop(units: number): Promise<void> | undefined {
  return isolateShare.take(units) ? undefined : isolateShare.wait(units)
}

/**
 * The work of one request, in counts and not in time: clocks stand still between one I/O and the next. Work is counted
 * before it is done. After each portion that the requests of this isolate did, they return to the event loop; one that
 * does more than the bytes it sends account for takes turns with the others of its kind.
 */
export class Budget {
  readonly #limits: Limits
  readonly #line: SlotQueue
  readonly #calls: BudgetCalls
  readonly #share: LoopShare
  readonly place = { seen: 0, paused: false }
  #spent = 0
  #sent = 0
  #uncounted = 0
  #begun = false
  #pausing: Promise<void> | undefined

  /** `share`: what the requests of the isolate may do together. */
  constructor(limits: Limits, line: SlotQueue, calls: BudgetCalls, share = isolateShare) {
    this.#limits = limits
    this.#line = line
    this.#calls = calls
    this.#share = share
  }

  /** Units spent so far. */
  get spent(): number {
    return this.#spent
  }

  /**
   * Counts work; what it returns is to be awaited before the work is done.
   * @throws what `exceeded` and `busy` return.
   */
  spend(units: number): Promise<void> | undefined {
    this.#spent += units
    const beyond = this.#spent - this.#allowance(this.#sent)
    if (beyond > this.#limits.units) throw this.#calls.exceeded()
    const inTurn = beyond <= this.#limits.free || this.#line.has(this.place)
    if (inTurn && !this.#pausing && this.#share.take(units)) {
      this.place.paused = false
      return undefined
    }
    this.#uncounted += units
    this.#pausing ??= this.#pause(beyond > this.#limits.free).finally(() => {
      this.#pausing = undefined
    })
    return this.#pausing
  }

  /** Counts bytes that are handed to the client. @throws what `exceeded` returns. */
  send(bytes: number): void {
    this.#sent += bytes
    if (this.#sent > this.#limits.bytes) throw this.#calls.exceeded()
  }

  /** Leaves the turn to others until the next work: the client has the word, or the request is done. */
  rest(): void {
    this.place.paused = true
  }

  /** Refuses at once what could not be sent to its end. @throws what `exceeded` returns. */
  check(bytes: number, units: number): void {
    const { bytes: mostBytes, units: mostUnits } = this.#limits
    if (bytes > mostBytes || units - this.#allowance(bytes) > mostUnits) throw this.#calls.exceeded()
  }

  #allowance(bytes: number): number {
    return (bytes / 2 ** 20) * this.#limits.unitsPerMib
  }

  async #pause(inLine: boolean): Promise<void> {
    if (inLine) {
      if (!this.#line.join(this.place, now(), this.#begun)) throw this.#calls.busy()
      this.#calls.takesTurns?.()
      await waitForSlot(this.#line, this.place)
      this.#begun = true
    }
    const units = this.#uncounted
    this.#uncounted = 0
    await this.#share.wait(units)
  }
}
