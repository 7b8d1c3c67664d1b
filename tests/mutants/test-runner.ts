import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { runningGroups } from './commands.ts'
import type { PlannedFile } from './set-mutant.ts'

/** A test file to run; one that is to run several times has a query behind its path, which differs. */
export interface FileRun {
  path: string
  planned?: PlannedFile
}

/** A test of a file that ended. */
export interface TestEnd {
  name: string
  state: string
  error?: string | undefined
  ms: number
  /** Mutations that it reached, of a file for which nothing was planned. */
  reached: string[]
}

export interface FileEnd {
  path: string
  failed: boolean
  error: string | undefined
  tests: TestEnd[]
  imported: string[]
}

type Answer = { began: string } | { ended: FileEnd } | { done: true }

/** Files of which none begins or ends for so long never end. In the first run of a process all is transformed before. */
const SILENT_MS = 120_000
const FIRST_MS = 300_000

/** Runs test files in a process of its own, which is begun anew where a mutant never ends. */
export class TestRunner {
  readonly #root: string
  #child: ChildProcess | undefined
  #patience = FIRST_MS

  constructor(root: string) {
    this.#root = root
  }

  /** Runs files in this order in one workerd; returns the path of the one that never ended, if there is one. */
  async run(files: readonly FileRun[], onEnded: (file: FileEnd) => void): Promise<string | undefined> {
    const child = this.#child?.connected ? this.#child : await this.#start()
    const sent = this.#listen(child, onEnded)
    child.send(files)
    const { done, began } = await sent
    if (done) {
      this.#patience = SILENT_MS
      return undefined
    }
    this.close()
    return began
  }

  async #start(): Promise<ChildProcess> {
    this.#patience = FIRST_MS
    const child = fork(join(this.#root, 'tests/mutants/run-tests.ts'), {
      cwd: this.#root,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // Messages of workerd are nobody's.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
    })
    if (child.pid !== undefined) runningGroups.add(child.pid)
    this.#child = child
    const { done } = await this.#listen(child, () => undefined)
    if (!done) throw new Error('The tests could not be started')
    return child
  }

  /** Until the last file has ended, or nothing is heard any more; with the file that began last. */
  #listen(child: ChildProcess, onEnded: (file: FileEnd) => void): Promise<{ done: boolean; began: string }> {
    return new Promise((resolve) => {
      let began = ''
      let timer: NodeJS.Timeout
      const end = (done: boolean) => {
        clearTimeout(timer)
        child.off('message', hear).off('exit', lose)
        resolve({ done, began })
      }
      const lose = () => end(false)
      const wait = () => {
        clearTimeout(timer)
        timer = setTimeout(lose, this.#patience)
      }
      const hear = (answer: Answer) => {
        wait()
        if ('began' in answer) began = answer.began
        else if ('ended' in answer) onEnded(answer.ended)
        else end(true)
      }
      child.on('message', hear).on('exit', lose)
      wait()
    })
  }

  close(): void {
    const pid = this.#child?.pid
    this.#child = undefined
    if (pid === undefined || !runningGroups.delete(pid)) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
