import { now } from '../clock.ts'
import { LONGEST_WAIT_MS, startWait, waitedTooLong } from './longest-wait.ts'
import { LoopShare } from './loop-share.ts'
import type { SlotQueue } from './slot-queue.ts'
import { waitForSlot } from './wait-for-slot.ts'

/** The limits of one request. A unit of work is at most 60 µs of CPU: a block of 1 KiB of links, read and decoded. */
export interface Limits {
  /** Units beyond the allowance of the bytes sent, above which a request waits for a slot. */
  free: number
  /** The most units beyond the allowance of the bytes sent. */
  units: number
  /** The allowance of each MiB sent, in units. */
  unitsPerMib: number
  /** The most bytes sent. */
  bytes: number
}

/** Makers of the errors that are thrown, and a callback. */
export interface BudgetCalls {
  /** The request needs more work, or more bytes, than one may. */
  exceeded: () => Error
  /** Too many requests wait for a slot. */
  busy: () => Error
  /** Called when the request begins to wait for slots. */
  takesTurns?: () => void
}

/** Units after which the requests of an isolate yield to the event loop: less than 10 ms. */
const PORTION = 100

const isolateShare = new LoopShare(PORTION)

/** Yields to the event loop before the caller's next portion of work, which lasts some milliseconds. */
export async function returnToEventLoop(): Promise<void> {
  await isolateShare.wait(PORTION)
}

/**
 * Counts the caller's next work as work of the isolate, in units of a {@link Budget}. The caller awaits what it returns
 * before the work: `undefined` while the current portion has room, else the wait for the next one, which rejects with
 * 503 `busy` after 10 s.
 */
export function shareEventLoop(units: number): Promise<void> | undefined {
  return isolateShare.take(units) ? undefined : waitForShare(isolateShare, units)
}

async function waitForShare(share: LoopShare, units: number): Promise<void> {
  if (!(await share.wait(units, startWait()))) throw waitedTooLong()
}

/**
 * The work of one request, in counts and not in time, because clocks do not advance between one I/O and the next. Work
 * is counted before it is done. After each portion the requests of an isolate yield to the event loop. A request that
 * does more work than the allowance of its bytes waits for one of a few slots.
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

  /** `share`: the portions that the requests of the isolate share. */
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
   * Counts work; the caller awaits what it returns before the work.
   * @throws what `exceeded` and `busy` return, and 503 `busy` after a wait of 10 s.
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

  /** Counts bytes that are sent to the client. @throws what `exceeded` returns. */
  send(bytes: number): void {
    this.#sent += bytes
    if (this.#sent > this.#limits.bytes) throw this.#calls.exceeded()
  }

  /** Lets others use the slot until the next work: the client is reading, or the request has ended. */
  rest(): void {
    this.place.paused = true
  }

  /** Rejects an answer of this size that could not be sent completely. @throws what `exceeded` returns. */
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
      if (!(await waitForSlot(this.#line, this.place, now() + LONGEST_WAIT_MS))) throw waitedTooLong()
      this.#begun = true
    }
    const units = this.#uncounted
    this.#uncounted = 0
    await waitForShare(this.#share, units)
  }
}
