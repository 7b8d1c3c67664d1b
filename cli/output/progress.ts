import type { Json, TextSink } from '../run/outcome.ts'

/** A step with progress: the count, the total and the unit. */
export interface StepState {
  /** "hashing", "sending", "merging", "paying", "writing". */
  step: string
  done: number
  /** Absent if unknown. */
  total?: number
  /** In the plural: "files", "bytes", "transactions". */
  unit: string
}

export interface ProgressSettings {
  stderr: TextSink
  /** Redraw one line; else print whole lines, rarely. */
  animated: boolean
  /** Receives the changes for programs: at most one a second, and the first and last of each step. */
  onEvent: (event: Json) => void
  now: () => number
}

const LINE_EVERY_MS = 30_000
const DRAW_EVERY_MS = 100
const EVENT_EVERY_MS = 1_000

/** Shows the progress of one step at a time. A step is never rounded up to its total. */
export class Progress {
  readonly #settings: ProgressSettings
  #state: StepState | undefined
  #drawnAt = 0
  #eventAt = 0
  #drawn = false

  constructor(settings: ProgressSettings) {
    this.#settings = settings
  }

  /** Begins a step or updates it. */
  update(state: StepState): void {
    const { animated, now, onEvent } = this.#settings
    const begins = this.#state?.step !== state.step
    if (begins && this.#state) this.end()
    this.#state = state
    const time = now()
    if (begins || time - this.#eventAt >= EVENT_EVERY_MS) {
      this.#eventAt = time
      onEvent({ type: 'progress', ...state })
    }
    if (!begins && time - this.#drawnAt < (animated ? DRAW_EVERY_MS : LINE_EVERY_MS)) return
    this.#drawnAt = time
    this.#draw(state, false)
  }

  /** Ends the current step with its last count. */
  end(): void {
    const state = this.#state
    if (!state) return
    this.#state = undefined
    this.#settings.onEvent({ type: 'progress', ...state, ended: true })
    this.#draw(state, true)
  }

  /** Removes the progress line, so that other text can be written; the next update draws it again. */
  clear(): void {
    if (!this.#drawn) return
    this.#settings.stderr.write('\r\u001b[K')
    this.#drawn = false
    this.#drawnAt = 0
  }

  #draw(state: StepState, last: boolean): void {
    const { stderr, animated } = this.#settings
    const text = describeStep(state)
    if (!animated) {
      stderr.write(`${text}${last && state.done === state.total ? ', done' : ''}\n`)
      return
    }
    stderr.write(`\r\u001b[K${text.slice(0, Math.max(20, (stderr.columns ?? 80) - 1))}${last ? '\n' : ''}`)
    this.#drawn = !last
  }
}

/** "sending    3.0 MiB of 12.0 MiB", "merging    120 of 10,000 files", "paying     0 of 1 item". */
export function describeStep({ step, done, total, unit }: StepState): string {
  const label = step.padEnd(10)
  if (unit === 'bytes') return `${label} ${formatBytes(done)}${total === undefined ? '' : ` of ${formatBytes(total)}`}`
  const count =
    total === undefined ? done.toLocaleString('en') : `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
  return `${label} ${count} ${(total ?? done) === 1 ? unit.replace(/s$/, '') : unit}`
}

/** A size for people, rounded down, so that an incomplete count never looks complete. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let index = 0
  for (; value >= 1024 && index < units.length - 1; index++) value /= 1024
  return index === 0 ? `${bytes} bytes` : `${(Math.floor(value * 10) / 10).toFixed(1)} ${units[index]}`
}
