import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What became of a mutant: `invalid` fails the type check or an import, `caught` a seed or a test, `survived` none. */
export type Verdict = { outcome: 'invalid' } | { outcome: 'survived' } | { outcome: 'caught'; by: string }

/** Not copied: what is large and read from the project itself, or is nobody's source. */
const LEFT_OUT = new Set(['node_modules', '.git', '.mutants', '.hookline', '.wrangler', 'coverage', 'docs', 'bench'])
/** Seeds that each mutant meets, in two parts: most are caught in the first few. */
const SEEDS = { first: 40, all: 150 }
const CHECK_MS = 60_000
const SEED_RUNNER = 'tests/simulation/run-seeds.ts'
/** A mutant that takes this many times as long as the unchanged source never ends, and is caught. */
const PATIENCE = 4
const LEAST_RUN_MS = 60_000
/** Takes as long as the others together, and asks nothing that they don't. */
const SLOW_TEST = 'tests/worker/writer/write-large.test.ts'

/** Process groups of commands that run now. */
const running = new Set<number>()

/** Ends every command that runs, with what it has started: workerd outlives the runner that started it. */
export function stopCommands(): void {
  for (const group of running) process.kill(-group, 'SIGKILL')
  running.clear()
}

/** A copy of the project in which one mutant at a time is tried. */
export class MutantSlot {
  readonly #root: string
  readonly #folder: string
  #runMs = 1_000_000

  constructor(root: string, index: number) {
    this.#root = root
    this.#folder = join(root, '.mutants', String(index))
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true })
    for (const name of readdirSync(root)) {
      if (!LEFT_OUT.has(name))
        cpSync(join(root, name), join(this.#folder, name), { recursive: true, verbatimSymlinks: true })
    }
  }

  /**
   * Runs everything on the unchanged source, which says how long a mutant may take.
   * @throws {Error} where that fails: then no mutant would mean anything.
   */
  async measure(tests: readonly string[]): Promise<number> {
    const started = performance.now()
    const seeds = await this.#run(this.#runMs, process.execPath, SEED_RUNNER, '1', String(SEEDS.all))
    if (seeds !== 0) throw new Error('The simulation fails without any mutant')
    if ((await this.#test(tests)) !== 0) throw new Error('The tests fail without any mutant')
    return performance.now() - started
  }

  /** Gives mutants a time that follows from what {@link measure} found, in milliseconds. */
  limit(measured: number): void {
    this.#runMs = Math.max(LEAST_RUN_MS, PATIENCE * measured)
  }

  /** Tries a changed source, and puts the original back. */
  async try(path: string, original: string, changed: string, tests: readonly string[]): Promise<Verdict> {
    writeFileSync(join(this.#folder, path), changed)
    try {
      return await this.#judge(path, tests)
    } finally {
      writeFileSync(join(this.#folder, path), original)
    }
  }

  async #judge(path: string, tests: readonly string[]): Promise<Verdict> {
    if ((await this.#run(CHECK_MS, this.#module('.bin/tsc'), '-p', 'worker', '--noEmit')) !== 0)
      return { outcome: 'invalid' }
    const seeds = SEED_RUNNER
    if ((await this.#run(CHECK_MS, process.execPath, seeds, '--import', path)) !== 0) return { outcome: 'invalid' }
    if ((await this.#run(this.#runMs, process.execPath, seeds, '1', String(SEEDS.first))) !== 0) {
      return { outcome: 'caught', by: 'a seed' }
    }
    if ((await this.#test(tests)) !== 0) return { outcome: 'caught', by: 'a test' }
    const rest = [String(SEEDS.first + 1), String(SEEDS.all)]
    return (await this.#run(this.#runMs, process.execPath, seeds, ...rest)) === 0
      ? { outcome: 'survived' }
      : { outcome: 'caught', by: 'a seed' }
  }

  #test(tests: readonly string[]): Promise<number | undefined> {
    const folders = tests.map((name) => `tests/worker/${name}`)
    const options = [
      'run',
      '--project',
      'worker',
      '--project',
      'worker-shared',
      '--project',
      'worker-items',
      '--bail',
      '1',
      '--exclude',
      SLOW_TEST,
    ]
    return this.#run(this.#runMs, process.execPath, this.#module('vitest/vitest.mjs'), ...options, ...folders)
  }

  #module(path: string): string {
    return join(this.#root, 'node_modules', path)
  }

  /** Runs a command in the copy; its exit code, or `undefined` where it was stopped for taking too long. */
  #run(timeout: number, command: string, ...args: string[]): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd: this.#folder, stdio: 'ignore', detached: true })
      const { pid } = child
      if (pid !== undefined) running.add(pid)
      const stop = setTimeout(() => {
        if (pid !== undefined && running.delete(pid)) process.kill(-pid, 'SIGKILL')
      }, timeout)
      child.once('error', reject)
      child.once('exit', (code) => {
        clearTimeout(stop)
        if (pid !== undefined) running.delete(pid)
        resolve(code ?? undefined)
      })
    })
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
