import { type StdioOptions, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MutatedSource } from './sources.ts'

/** What became of a mutant: `invalid` fails the type check or an import, `caught` a seed or a test, `survived` none. */
export type Verdict = { outcome: 'invalid' } | { outcome: 'survived' } | { outcome: 'caught'; by: string }

/** Not copied: what is large and read from the project itself, or is nobody's source. */
const LEFT_OUT = new Set(['node_modules', '.git', '.mutants', '.hookline', '.wrangler', 'coverage', 'docs', 'bench'])
/** Seeds that each mutant meets, before and after the tests: most are caught in the first few. */
const SEEDS = { first: 40, all: 120 }
const CHECK_MS = 120_000
const SEED_RUNNER = 'tests/simulation/run-seeds.ts'
/** A mutant that takes this many times as long as the unchanged source never ends, and is caught. */
const PATIENCE = 4
const LEAST_RUN_MS = 60_000
/** What the runner of seeds ends with where an import fails. */
const NOT_IMPORTED = 2

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
    if ((await this.#check()) !== 0) throw new Error('The type check fails without any mutant')
    if ((await this.#seeds(1, SEEDS.all)) !== 0) throw new Error('The simulation fails without any mutant')
    const failed = await this.#test(tests, 'inherit')
    if (failed !== 0) throw new Error('The tests fail without any mutant')
    return performance.now() - started
  }

  /** Gives mutants a time that follows from what {@link measure} found, in milliseconds. */
  limit(measured: number): void {
    this.#runMs = Math.max(LEAST_RUN_MS, PATIENCE * measured)
  }

  /** Tries a changed source, and puts the original back. */
  async try(source: MutatedSource, changed: string): Promise<Verdict> {
    const { path, text } = source
    writeFileSync(join(this.#folder, path), changed)
    try {
      return await this.#judge(source)
    } finally {
      writeFileSync(join(this.#folder, path), text)
    }
  }

  async #judge({ path, tests, seeds }: MutatedSource): Promise<Verdict> {
    if ((await this.#check()) !== 0) return { outcome: 'invalid' }
    const first = await (seeds
      ? this.#seeds(1, SEEDS.first)
      : this.#run(CHECK_MS, process.execPath, [SEED_RUNNER, '--import', path]))
    if (first === NOT_IMPORTED) return { outcome: 'invalid' }
    if (first !== 0) return { outcome: 'caught', by: 'a seed' }
    if ((await this.#test(tests)) !== 0) return { outcome: 'caught', by: 'a test' }
    if (seeds && (await this.#seeds(SEEDS.first + 1, SEEDS.all)) !== 0) return { outcome: 'caught', by: 'a seed' }
    return { outcome: 'survived' }
  }

  /** The type check: what it found of the unchanged source is kept beside. */
  #check(): Promise<number | undefined> {
    const kept = ['--incremental', '--tsBuildInfoFile', 'worker.tsbuildinfo']
    return this.#run(CHECK_MS, this.#module('.bin/tsc'), ['-p', 'worker', '--noEmit', ...kept])
  }

  #seeds(first: number, last: number): Promise<number | undefined> {
    return this.#run(this.#runMs, process.execPath, [SEED_RUNNER, String(first), String(last)])
  }

  #test(tests: readonly string[], output: 'ignore' | 'inherit' = 'ignore'): Promise<number | undefined> {
    const files = tests.map((name) => `tests/worker/${name}`)
    const vitest = [this.#module('vitest/vitest.mjs'), 'run', '--config', 'tests/mutants/vitest.config.ts']
    const env = { ...process.env, MUTANT_TESTS: tests.join() }
    return this.#run(this.#runMs, process.execPath, [...vitest, '--reporter', 'dot', ...files], { env, output })
  }

  #module(path: string): string {
    return join(this.#root, 'node_modules', path)
  }

  /** Runs a command in the copy; its exit code, or `undefined` where it was stopped for taking too long. */
  #run(
    timeout: number,
    command: string,
    args: readonly string[],
    { env = process.env, output = 'ignore' }: { env?: NodeJS.ProcessEnv; output?: 'ignore' | 'inherit' } = {},
  ): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const stdio: StdioOptions = ['ignore', output, output]
      const child = spawn(command, args, { cwd: this.#folder, stdio, detached: true, env })
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
