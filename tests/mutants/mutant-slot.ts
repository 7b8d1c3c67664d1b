import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandEnd, runCommand, runningGroups } from './commands.ts'
import { reachedName } from './find-functions.ts'
import { type Mutation, mutate } from './mutation.ts'
import type { Reach } from './reach.ts'
import { hasRun, readCoverage, type SeedCoverage } from './seed-coverage.ts'
import type { MutatedSource } from './sources.ts'
import { TestRunner } from './test-runner.ts'

/**
 * What became of a mutant: `invalid` fails the type check or an import, `caught` a seed or a test, `survived` none;
 * `unknown` fails a test that the unchanged source fails, too. `file` is the test file, below `tests/worker`;
 * `stuck` where it did not end.
 */
export type Verdict =
  | { outcome: 'invalid' }
  | { outcome: 'survived' }
  | { outcome: 'unknown'; by: string }
  | { outcome: 'caught'; by: string; file?: string; stuck?: boolean }

/** Not copied: what is large and read from the project itself, or is nobody's source. */
const LEFT_OUT = new Set(['node_modules', '.git', '.mutants', '.hookline', '.wrangler', 'coverage', 'docs', 'bench'])
/** Seeds that each mutant meets, before and after the tests: most are caught in the first few. */
const SEEDS = { first: 10, all: 100 }
const CHECK_MS = 300_000
const SEED_RUNNER = 'tests/simulation/run-seeds.ts'
/** A mutant whose seeds take this many times as long as the unchanged source never ends, and is caught. */
const PATIENCE = 6
const LEAST_RUN_MS = 120_000
/** What the runner of seeds ends with where an import fails. */
const NOT_IMPORTED = 2
const MAP_TRIES = 2
/** Test files that one workerd runs. It takes 10,000 timeouts, of which every call of a node leaves one: some 25 files may pass that. */
const PER_WORKER = 12
/** What workerd says beyond that, whatever the mutant does. */
const TOO_MANY_TIMEOUTS = 'exceeded the number of active timeouts'

/** Test files that caught a mutant, and whether the unchanged source passes them. */
const passes = new Map<string, boolean>()

/** What is known of the unchanged source, of which all slots have copies. */
export interface Known {
  files: readonly string[]
  reach: Reach
  /** What the seeds run. */
  seeds: SeedCoverage | undefined
  /** Mutations that fail the type check. */
  mistyped: ReadonlySet<Mutation>
}

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
      (group) => runningGroups.add(group),
      (group) => runningGroups.delete(group),
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
    if ((await this.#check()).code !== 0) throw new Error('The type check fails without any mutant')
    const started = performance.now()
    if ((await this.#seeds(1, SEEDS.first, CHECK_MS * PATIENCE)).code !== 0) {
      throw new Error('The simulation fails without any mutant')
    }
    this.#seedMs = (performance.now() - started) / SEEDS.first
  }

  /** What all seeds run of the unchanged source. @throws {Error} where one fails */
  async coverSeeds(): Promise<SeedCoverage> {
    const folder = join(this.#folder, 'coverage')
    const { code } = await this.#seeds(1, SEEDS.all, CHECK_MS * PATIENCE, { NODE_V8_COVERAGE: folder })
    if (code !== 0) throw new Error('The simulation fails without any mutant')
    return readCoverage(folder, this.#folder)
  }

  /** Adds to `reach` what test files run of the unchanged source; those that fail are tried again, and then left out. */
  async mapTests(files: readonly string[], reach: Reach): Promise<void> {
    for (let tries = 0; tries < MAP_TRIES; tries++) {
      const left = files.filter((file) => !reach.has(file))
      if (left.length > 0) await this.#tests.map(left, reach)
    }
  }

  /** What became of a mutation of a source; the original is put back. */
  async try(source: MutatedSource, mutation: Mutation, known: Known): Promise<Verdict> {
    const { path, text } = source
    writeFileSync(join(this.#folder, path), mutate(text, mutation))
    const verdict = await this.#judge(source, mutation, known).finally(() =>
      writeFileSync(join(this.#folder, path), text),
    )
    if (verdict.outcome !== 'caught' || verdict.file === undefined) return verdict
    const { by, file, stuck = false } = verdict
    if (!stuck && known.reach.has(file)) return verdict
    const again = async () => (await this.#tests.run(path, [file], [file])).state === 'passed'
    // What has passed before may be stuck now, on a busy machine.
    if (stuck || !passes.get(file)) passes.set(file, (await again()) || (await again()))
    return passes.get(file) ? verdict : { outcome: 'unknown', by }
  }

  /** Those of `group`, mutations of different sources, that fail the type check. */
  async findMistyped(group: readonly Mutation[], sources: ReadonlyMap<string, MutatedSource>): Promise<Mutation[]> {
    const write = (change: (text: string, mutation: Mutation) => string) => {
      for (const mutation of group) {
        writeFileSync(join(this.#folder, mutation.path), change(sources.get(mutation.path)?.text ?? '', mutation))
      }
    }
    write(mutate)
    const { code, output } = await this.#check()
    write((text) => text)
    if (code === 0 || group.length === 1) return code === 0 ? [] : [...group]
    // A mutation may fail the check of another source, too: each that an error names is checked by itself.
    const named = group.filter(({ path }) => output.includes(path))
    const parts = [...named.map((mutation) => [mutation]), group.filter((mutation) => !named.includes(mutation))]
    const found: Mutation[] = []
    for (const part of named.length > 0 ? parts : group.map((mutation) => [mutation])) {
      if (part.length > 0) found.push(...(await this.findMistyped(part, sources)))
    }
    return found
  }

  async #judge({ path, text, tests }: MutatedSource, mutation: Mutation, known: Known): Promise<Verdict> {
    const { inSql, start } = mutation
    if (known.mistyped.has(mutation)) return { outcome: 'invalid' }
    const name = reachedName(path, text, start)
    const seeded = known.seeds === undefined || hasRun(known.seeds, path, start)
    if (seeded) {
      const verdict = await this.#judgeBySeeds(1, SEEDS.first)
      if (verdict) return verdict
    } else if (!inSql && name === undefined) {
      const { code } = await this.#run(CHECK_MS, process.execPath, [SEED_RUNNER, '--import', path])
      if (code === NOT_IMPORTED) return { outcome: 'invalid' }
    }
    const files = known.reach.filesFor({ path, name, tests }, known.files)
    for (let from = 0; from < files.length; from += PER_WORKER) {
      const verdict = await this.#judgeByTests(path, tests, files.slice(from, from + PER_WORKER))
      if (verdict) return verdict
    }
    return (seeded && (await this.#judgeBySeeds(SEEDS.first + 1, SEEDS.all))) || { outcome: 'survived' }
  }

  async #judgeByTests(path: string, tests: readonly string[], files: readonly string[]): Promise<Verdict | undefined> {
    const outcome = await this.#tests.run(path, tests, files)
    if (outcome.state === 'passed') return undefined
    if (outcome.state === 'stuck') {
      return { outcome: 'caught', by: 'tests that never end', stuck: true, ...(files[0] && { file: files[0] }) }
    }
    if (outcome.test.includes(TOO_MANY_TIMEOUTS)) return { outcome: 'unknown', by: outcome.test }
    const [file = ''] = outcome.test.replace('tests/worker/', '').split(': ')
    return { outcome: 'caught', by: outcome.test, file }
  }

  async #judgeBySeeds(first: number, last: number): Promise<Verdict | undefined> {
    const limit = Math.max(LEAST_RUN_MS, PATIENCE * this.#seedMs * (last - first + 1))
    const { code, output } = await this.#seeds(first, last, limit)
    if (code === 0) return undefined
    if (code === NOT_IMPORTED) return { outcome: 'invalid' }
    if (code === undefined) return { outcome: 'caught', by: 'seeds that never end' }
    return { outcome: 'caught', by: `seed ${/SEED=(\d+)/.exec(output)?.[1] ?? first}` }
  }

  /** The type check: what it found of the unchanged source is kept beside. */
  #check(): Promise<CommandEnd> {
    const kept = ['--incremental', '--tsBuildInfoFile', 'worker.tsbuildinfo']
    return this.#run(CHECK_MS, this.#module('.bin/tsc'), ['-p', 'worker', '--noEmit', ...kept])
  }

  #seeds(first: number, last: number, limit: number, env = {}): Promise<CommandEnd> {
    return this.#run(limit, process.execPath, [SEED_RUNNER, String(first), String(last)], env)
  }

  #module(path: string): string {
    return join(this.#root, 'node_modules', path)
  }

  #run(timeout: number, command: string, args: readonly string[], env = {}): Promise<CommandEnd> {
    return runCommand(command, args, { cwd: this.#folder, timeout, env })
  }

  close(): void {
    this.#tests.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
