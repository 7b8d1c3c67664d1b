import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Mutation, mutate } from './mutation.ts'
import type { MutatedSource } from './sources.ts'
import { TestRunner } from './test-runner.ts'

/**
 * What became of a mutant: `invalid` fails the type check or an import, `caught` a seed or a test, `survived` none. `again`
 * says whether the unchanged source passes what caught it.
 */
export type Verdict =
  | { outcome: 'invalid' }
  | { outcome: 'survived' }
  | { outcome: 'caught'; by: string; again?: () => Promise<boolean> }

/** How a command ended, and the last of what it wrote. */
interface CommandEnd {
  code: number | undefined
  output: string
}

const MAX_OUTPUT = 20_000

/** Not copied: what is large and read from the project itself, or is nobody's source. */
const LEFT_OUT = new Set(['node_modules', '.git', '.mutants', '.hookline', '.wrangler', 'coverage', 'docs', 'bench'])
/** Seeds that each mutant meets, before and after the tests: most are caught in the first few. */
const SEEDS = { first: 25, all: 100 }
const CHECK_MS = 300_000
const SEED_RUNNER = 'tests/simulation/run-seeds.ts'
/** A mutant whose seeds take this many times as long as the unchanged source never ends, and is caught. */
const PATIENCE = 6
const LEAST_RUN_MS = 120_000
/** What the runner of seeds ends with where an import fails. */
const NOT_IMPORTED = 2

/** Process groups of commands that run now. */
const running = new Set<number>()

/** Ends every command that runs, with what it has started: workerd outlives the runner that started it. */
export function stopCommands(): void {
  for (const group of running) process.kill(-group, 'SIGKILL')
  running.clear()
}

/** Seeds and tests that caught a mutant, and whether the unchanged source passes them. */
const passes = new Map<string, boolean>()

/** A copy of the project in which one mutant at a time is tried. */
export class MutantSlot {
  readonly #root: string
  readonly #folder: string
  readonly #tests: TestRunner
  #seedMs = LEAST_RUN_MS / PATIENCE

  constructor(root: string, index: number) {
    this.#root = root
    this.#folder = join(root, '.mutants', String(index))
    this.#tests = new TestRunner(
      this.#folder,
      (group) => running.add(group),
      (group) => running.delete(group),
    )
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true })
    const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true }
    for (const name of readdirSync(root)) {
      if (!LEFT_OUT.has(name)) cpSync(join(root, name), join(this.#folder, name), options)
    }
  }

  /**
   * Checks types and runs the first seeds on the unchanged source, which says how long a mutant's may take.
   * @throws {Error} where that fails: then no mutant would mean anything.
   */
  async measure(): Promise<void> {
    if ((await this.#check()) !== 0) throw new Error('The type check fails without any mutant')
    const started = performance.now()
    if ((await this.#seeds(1, SEEDS.first, CHECK_MS * PATIENCE)).code !== 0) {
      throw new Error('The simulation fails without any mutant')
    }
    this.#seedMs = (performance.now() - started) / SEEDS.first
  }

  /**
   * Tries a mutation of a source, and puts the original back.
   * @throws {Error} where what caught it fails on the unchanged source, too, twice.
   */
  async try(source: MutatedSource, mutation: Mutation): Promise<Verdict> {
    const { path, text } = source
    writeFileSync(join(this.#folder, path), mutate(text, mutation))
    const verdict = await this.#judge(source, mutation).finally(() => writeFileSync(join(this.#folder, path), text))
    if (verdict.outcome !== 'caught' || verdict.again === undefined) return verdict
    const { by, again } = verdict
    if (!passes.get(by)) passes.set(by, (await again()) || (await again()))
    if (!passes.get(by)) throw new Error(`The unchanged source fails, too: ${by}`)
    return verdict
  }

  async #judge({ path, tests, seeds }: MutatedSource, { inSql }: Mutation): Promise<Verdict> {
    if (!inSql && (await this.#check()) !== 0) return { outcome: 'invalid' }
    if (seeds) {
      const verdict = await this.#judgeBySeeds(1, SEEDS.first)
      if (verdict) return verdict
    } else if (!inSql) {
      const { code } = await this.#run(CHECK_MS, process.execPath, [SEED_RUNNER, '--import', path])
      if (code === NOT_IMPORTED) return { outcome: 'invalid' }
    }
    const outcome = await this.#tests.run(path, tests)
    if (outcome.state === 'stuck') return { outcome: 'caught', by: 'tests that never end' }
    if (outcome.state === 'failed') {
      const [file = ''] = outcome.test.replace('tests/worker/', '').split(': ')
      const again = async () => (await this.#tests.run(path, [file])).state === 'passed'
      return { outcome: 'caught', by: outcome.test, again }
    }
    return (seeds && (await this.#judgeBySeeds(SEEDS.first + 1, SEEDS.all))) || { outcome: 'survived' }
  }

  async #judgeBySeeds(first: number, last: number): Promise<Verdict | undefined> {
    const limit = Math.max(LEAST_RUN_MS, PATIENCE * this.#seedMs * (last - first + 1))
    const { code, output } = await this.#seeds(first, last, limit)
    if (code === 0) return undefined
    if (code === NOT_IMPORTED) return { outcome: 'invalid' }
    if (code === undefined) return { outcome: 'caught', by: 'seeds that never end' }
    const seed = Number(/SEED=(\d+)/.exec(output)?.[1] ?? first)
    const again = async () => (await this.#seeds(seed, seed, CHECK_MS)).code === 0
    return { outcome: 'caught', by: `seed ${seed}`, again }
  }

  /** The type check: what it found of the unchanged source is kept beside. */
  async #check(): Promise<number | undefined> {
    const kept = ['--incremental', '--tsBuildInfoFile', 'worker.tsbuildinfo']
    return (await this.#run(CHECK_MS, this.#module('.bin/tsc'), ['-p', 'worker', '--noEmit', ...kept])).code
  }

  #seeds(first: number, last: number, limit: number): Promise<CommandEnd> {
    return this.#run(limit, process.execPath, [SEED_RUNNER, String(first), String(last)])
  }

  #module(path: string): string {
    return join(this.#root, 'node_modules', path)
  }

  /** Runs a command in the copy; its exit code is `undefined` where it was stopped for taking too long. */
  #run(timeout: number, command: string, args: readonly string[]): Promise<CommandEnd> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: this.#folder,
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      })
      const { pid } = child
      if (pid !== undefined) running.add(pid)
      const stop = setTimeout(() => {
        if (pid !== undefined && running.delete(pid)) process.kill(-pid, 'SIGKILL')
      }, timeout)
      let output = ''
      child.stdout.on('data', (part) => {
        output = (output + part).slice(-MAX_OUTPUT)
      })
      child.once('error', reject)
      child.once('close', (code) => {
        clearTimeout(stop)
        if (pid !== undefined) running.delete(pid)
        resolve({ code: code ?? undefined, output })
      })
    })
  }

  close(): void {
    this.#tests.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
