import { EXIT } from '../run/exit-codes.ts'
import type { Json, Outcome, TextSink } from '../run/outcome.ts'
import { Progress, type StepState } from './progress.ts'
import { createStyle, isAnimated, printable, printableJson, type Style, wantsColor } from './style.ts'
import { writeText } from './write-text.ts'

export interface OutputSettings {
  command: string
  /** Whether the command prints a list. With --json a list is one object per line. */
  list: boolean
  mode: 'text' | 'json' | 'jsonl'
  stdout: TextSink
  stderr: TextSink
  env: Readonly<Record<string, string | undefined>>
  noColor: boolean
  now: () => number
}

/** Error codes that are no failures: the work continues later. */
const PENDING = new Set(['pending', 'unpaid', 'domain_waiting'])

/** All output of a command. The result is written to stdout, everything else to stderr. */
export class Output {
  readonly errorStyle: Style
  readonly mode: OutputSettings['mode']
  /** Whether the error has already been printed, so that `finish` does not print it again. */
  errorPrinted = false
  readonly #settings: OutputSettings
  readonly #progress: Progress
  /** Pending writes to stdout, in order. After a failed write all later ones are skipped; awaiting the queue throws. */
  #queue: Promise<void> = Promise.resolve()

  constructor(settings: OutputSettings) {
    const { stderr, env, noColor, now } = settings
    this.#settings = settings
    this.mode = settings.mode
    this.errorStyle = createStyle(wantsColor(stderr, env, noColor))
    this.#progress = new Progress({
      stderr,
      animated: isAnimated(stderr, env),
      onEvent: (event) => this.event(event),
      now,
    })
  }

  /** Prints one sentence on stderr. */
  note(text: string): void {
    this.#progress.clear()
    this.#settings.stderr.write(`${printable(text)}\n`)
  }

  /** Prints text on stderr without escaping, such as a QR code with terminal escape sequences. */
  unescaped(text: string): void {
    this.#progress.clear()
    this.#settings.stderr.write(text)
  }

  /** Displays the progress of a step. */
  step(state: StepState): void {
    this.#progress.update(state)
  }

  /** Removes the progress line before something else is written to the terminal. */
  clear(): void {
    this.#progress.clear()
  }

  endStep(): void {
    this.#progress.end()
  }

  /** Writes an event for programs that read --jsonl. */
  event(event: Json): void {
    if (this.mode === 'jsonl') this.#enqueue(`${printableJson(event)}\n`)
  }

  /** Prints one entry of a list. */
  async entry(json: Json, text: string): Promise<void> {
    await this.#line(this.mode === 'text' ? `${printable(text)}\n` : `${printableJson(json)}\n`)
  }

  /** Writes verified bytes of content to stdout. */
  async bytes(bytes: Uint8Array): Promise<void> {
    this.#progress.clear()
    await writeText(this.#settings.stdout, bytes)
  }

  /** Prints the outcome of the command. */
  async finish(outcome: Outcome): Promise<void> {
    this.#progress.clear()
    const { command, list } = this.#settings
    const exitCode = outcome.exitCode ?? EXIT.done
    if (this.mode === 'text') {
      for (const line of outcome.text ?? []) await this.#line(`${printable(line)}\n`)
    } else if (!list || exitCode !== EXIT.done) {
      const error = outcome.error ? describeError(outcome.error) : null
      const document = { command, ok: exitCode === EXIT.done, exitCode, result: outcome.result, error }
      await this.#line(`${printableJson(this.mode === 'jsonl' ? { type: 'result', ...document } : document)}\n`)
    }
    if (outcome.error && !this.errorPrinted) this.printError(outcome.error)
    await this.#queue
  }

  /** Prints an error on stderr. */
  printError(error: NonNullable<Outcome['error']>): void {
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
    // Prevents an unhandled rejection. The failure is thrown where the queue is awaited.
    this.#queue.catch(() => undefined)
  }

  async #line(line: string): Promise<void> {
    this.#progress.clear()
    this.#enqueue(line)
    await this.#queue
  }
}

/** The error in the JSON output. All fields are always present. */
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
