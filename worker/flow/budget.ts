import { now } from '../clock.ts'
import type { TurnLine } from './turn-line.ts'
import { waitForTurn } from './wait-for-turn.ts'

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

/** What is thrown, as its user words it. */
export interface BudgetErrors {
  /** More work, or more bytes, than one request may cause. */
  exceeded: () => Error
  /** Too many requests wait for their turn. */
  busy: () => Error
}

/** Units after which a request returns to the event loop: less than 10 ms. */
const PORTION = 100

/** Lets the event loop answer others: a timer, since a microtask would go before them. */
export function returnToEventLoop(): Promise<void> {
  return scheduler.wait(0)
}

/**
 * The work of one request, in counts and not in time: clocks stand still between one I/O and the next. Work is counted
 * before it is done. After each portion the request returns to the event loop; one that does more than the bytes it
 * sends account for takes turns with the others of its kind in this isolate.
 */
export class Budget {
  readonly #limits: Limits
  readonly #line: TurnLine
  readonly #errors: BudgetErrors
  readonly #turn = { seen: 0, resting: false }
  #spent = 0
  #sent = 0
  #inPortion = 0
  #begun = false
  #pausing: Promise<void> | undefined

  constructor(limits: Limits, line: TurnLine, errors: BudgetErrors) {
    this.#limits = limits
    this.#line = line
    this.#errors = errors
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
    this.#inPortion += units
    const beyond = this.#spent - this.#allowance(this.#sent)
    if (beyond > this.#limits.units) throw this.#errors.exceeded()
    const inTurn = beyond <= this.#limits.free || this.#line.has(this.#turn)
    if (inTurn && this.#inPortion < PORTION) {
      this.#turn.resting = false
      return undefined
    }
    this.#pausing ??= this.#pause(beyond > this.#limits.free).finally(() => {
      this.#pausing = undefined
    })
    return this.#pausing
  }

  /** Counts bytes that are handed to the client. @throws what `exceeded` returns. */
  send(bytes: number): void {
    this.#sent += bytes
    if (this.#sent > this.#limits.bytes) throw this.#errors.exceeded()
  }

  /** Leaves the turn to others until the next work: the client has the word, or the request is done. */
  rest(): void {
    this.#turn.resting = true
  }

  /** Refuses at once what could not be sent to its end. @throws what `exceeded` returns. */
  check(bytes: number, units: number): void {
    const { bytes: mostBytes, units: mostUnits } = this.#limits
    if (bytes > mostBytes || units - this.#allowance(bytes) > mostUnits) throw this.#errors.exceeded()
  }

  #allowance(bytes: number): number {
    return (bytes / 2 ** 20) * this.#limits.unitsPerMib
  }

  async #pause(inLine: boolean): Promise<void> {
    this.#inPortion = 0
    if (!inLine) return await returnToEventLoop()
    if (!this.#line.join(this.#turn, now(), this.#begun)) throw this.#errors.busy()
    await returnToEventLoop()
    await waitForTurn(this.#line, this.#turn)
    this.#begun = true
  }
}
