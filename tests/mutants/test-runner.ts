import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Reach } from './reach.ts'

/** A mutant for which no test file ends for so long never ends: a single one takes a minute on a busy machine. */
const SILENT_MS = 300_000
/** So long the runner may take to begin. */
const START_MS = 600_000

/** How tests ended: `failed` names the first that did, `stuck` none ended any more. */
export type TestOutcome = { state: 'passed' } | { state: 'stuck' } | { state: 'failed'; test: string }

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** Runs tests of a copy of the project in one process for many mutants; begun anew where a mutant never ends. */
export class TestRunner {
  readonly #folder: string
  readonly #started: (group: number) => void
  readonly #ended: (group: number) => void
  #child: ChildProcess | undefined
  #lines: AsyncIterator<string> | undefined

  /** @param started, ended receive the running process groups, which have to be ended with this process. */
  constructor(folder: string, started: (group: number) => void, ended: (group: number) => void) {
    this.#folder = folder
    this.#started = started
    this.#ended = ended
  }

  /**
   * Runs `files`, those first that are nearest by the order of `tests`, folders or files; the first that fails is the last.
   * `path` is the source that changed since the last run.
   */
  run(path: string, tests: readonly string[], files: readonly string[]): Promise<TestOutcome> {
    return this.#ask({ path, tests, files }, () => undefined)
  }

  /** Runs files of the unchanged source, and adds to `reach` what each that passed has run. */
  map(files: readonly string[], reach: Reach): Promise<TestOutcome> {
    return this.#ask({ tests: [], files, map: true }, ({ ended, passed, reached, imported }) => {
      const file = String(ended).replace('tests/worker/', '')
      if (passed === true && isNames(reached) && isNames(imported)) reach.add(file, reached, imported)
    })
  }

  async #ask(
    request: Record<string, unknown>,
    onEnded: (answer: Record<string, unknown>) => void,
  ): Promise<TestOutcome> {
    await this.#start()
    this.#child?.stdin?.write(`${JSON.stringify(request)}\n`)
    for (;;) {
      const answer = await this.#read(SILENT_MS)
      if (answer && 'ended' in answer) onEnded(answer)
      if (answer === undefined) {
        this.close()
        return { state: 'stuck' }
      }
      if ('failed' in answer) {
        return answer.failed === null ? { state: 'passed' } : { state: 'failed', test: String(answer.failed) }
      }
    }
  }

  async #start(): Promise<void> {
    if (this.#child?.exitCode === null) return
    const runner = ['--disable-warning=ExperimentalWarning', 'tests/mutants/run-tests.ts']
    const child = spawn(process.execPath, runner, {
      cwd: this.#folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    })
    if (child.pid !== undefined) this.#started(child.pid)
    this.#child = child
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    if ((await this.#read(START_MS)) === undefined) throw new Error('The tests could not be started')
  }

  /** The next answer; none where the runner says nothing for too long, or has ended. */
  async #read(ms: number): Promise<Record<string, unknown> | undefined> {
    let timer: NodeJS.Timeout | undefined
    const silence = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, ms, undefined)
    })
    for (;;) {
      const next = await Promise.race([this.#lines?.next(), silence])
      if (next === undefined || next.done) {
        clearTimeout(timer)
        return undefined
      }
      if (!next.value.startsWith('{')) continue
      clearTimeout(timer)
      return JSON.parse(next.value)
    }
  }

  close(): void {
    const pid = this.#child?.pid
    this.#child = undefined
    if (pid === undefined) return
    this.#ended(pid)
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
