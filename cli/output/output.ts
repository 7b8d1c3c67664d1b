import { EXIT } from '../run/exit-codes.ts'
import type { Json, Outcome, TextSink } from '../run/outcome.ts'
import { Progress, type StepState } from './progress.ts'
import { createStyle, isAnimated, printable, printableJson, type Style, wantsColor } from './style.ts'
import { writeText } from './write-text.ts'

export interface OutputSettings {
  command: string
  /** The command writes a list: one object a line. */
  list: boolean
  mode: 'text' | 'json' | 'jsonl'
  stdout: TextSink
  stderr: TextSink
  env: Readonly<Record<string, string | undefined>>
  noColor: boolean
  now: () => number
}

/** Nothing has failed: it goes on later. */
const PENDING = new Set(['pending', 'unpaid', 'domain_waiting'])

/** All that a command writes: the result to stdout, everything else to stderr. */
export class Output {
  readonly style: Style
  readonly errorStyle: Style
  readonly mode: OutputSettings['mode']
  /** The person has been told already why it ends. */
  told = false
  readonly #settings: OutputSettings
  readonly #progress: Progress
  /** Lines are written one after another; the first failure is thrown by `flush`. */
  #queue: Promise<void> = Promise.resolve()

  constructor(settings: OutputSettings) {
    const { stdout, stderr, env, noColor, now } = settings
    this.#settings = settings
    this.mode = settings.mode
    this.style = createStyle(wantsColor(stdout, env, noColor))
    this.errorStyle = createStyle(wantsColor(stderr, env, noColor))
    this.#progress = new Progress({
      stderr,
      animated: isAnimated(stderr, env),
      onEvent: (event) => this.event(event),
      now,
    })
  }

  /** One sentence to the person, on stderr. */
  note(text: string): void {
    this.#progress.clear()
    this.#settings.stderr.write(`${printable(text)}\n`)
  }

  /** Text that holds codes of our own making, on stderr. */
  drawing(text: string): void {
    this.#progress.clear()
    this.#settings.stderr.write(text)
  }

  /** Where a step with a count stands. */
  step(state: StepState): void {
    this.#progress.update(state)
  }

  /** Takes an unfinished line away before somebody else writes to the terminal. */
  clear(): void {
    this.#progress.clear()
  }

  endStep(): void {
    this.#progress.end()
  }

  /** Something that happened, for programs that read --jsonl. */
  event(event: Json): void {
    if (this.mode === 'jsonl') this.#enqueue(`${printableJson(event)}\n`)
  }

  /** One entry of a list, as it comes. */
  async entry(json: Json, text: string): Promise<void> {
    await this.#line(this.mode === 'text' ? `${printable(text)}\n` : `${printableJson(json)}\n`)
  }

  /** Verified bytes of content, to stdout. */
  async bytes(bytes: Uint8Array): Promise<void> {
    this.#progress.clear()
    await writeText(this.#settings.stdout, bytes)
  }

  /** The end of the command, whatever it was. */
  async finish(outcome: Outcome): Promise<void> {
    this.#progress.clear()
    const { command, list } = this.#settings
    const exitCode = outcome.exitCode ?? EXIT.done
    if (this.mode === 'text') {
      for (const line of outcome.text ?? []) await this.#line(`${line}\n`)
    } else if (!list || exitCode !== EXIT.done) {
      const error = outcome.error ? describeError(outcome.error) : null
      const document = { command, ok: exitCode === EXIT.done, exitCode, result: outcome.result, error }
      await this.#line(`${printableJson(this.mode === 'jsonl' ? { type: 'result', ...document } : document)}\n`)
    }
    if (outcome.error && !this.told) this.explain(outcome.error)
    await this.#queue
  }

  /** What went wrong, on stderr. */
  explain(error: NonNullable<Outcome['error']>): void {
    const { stderr } = this.#settings
    const label = PENDING.has(error.code) ? this.errorStyle('yellow', 'Pending:') : this.errorStyle('red', 'Error:')
    const lines = [`${label} ${printable(error.message)}`]
    for (const problem of error.problems ?? []) lines.push(`  - ${printable(problem)}`)
    if (error.hint) lines.push(printable(error.hint))
    if (error.requestId)
      lines.push(this.errorStyle('dim', `Request ${printable(error.requestId)}, code ${error.code}.`))
    stderr.write(`${lines.join('\n')}\n`)
  }

  #enqueue(line: string): void {
    this.#queue = this.#queue.then(() => writeText(this.#settings.stdout, line))
    // Whoever awaits the queue learns of a failure; until then it is no unhandled rejection.
    this.#queue.catch(() => undefined)
  }

  async #line(line: string): Promise<void> {
    this.#progress.clear()
    this.#enqueue(line)
    await this.#queue
  }
}

/** The error as programs get it: always the same fields. */
function describeError({ code, message, hint, requestId, retryAfter, problems }: NonNullable<Outcome['error']>): Json {
  return {
    code,
    message,
    hint: hint ?? null,
    requestId: requestId ?? null,
    retryAfter: retryAfter ?? null,
    problems: problems ?? [],
  }
}
