import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from './commands.ts'

/** Seeds that each mutant meets which no test has caught: most that any seed catches are caught in the first few. */
const SEEDS = 100
/** A mutant whose seeds take this many times as long as without it never ends, and is caught. */
const PATIENCE = 6
const LEAST_MS = 120_000
const FIRST_MS = 1_800_000

const ARGS = ['--import', './tests/mutants/switch-seeds.ts', 'tests/simulation/run-seeds.ts', '1', String(SEEDS)]

/** What the seeds reach without any mutation, and how long they take (ms). */
export interface SeedReach {
  reached: string[]
  ms: number
}

/** @throws {Error} where a seed finds something wrong without any mutation. */
export async function reachBySeeds(root: string): Promise<SeedReach> {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  const started = performance.now()
  try {
    const path = join(folder, 'reached.json')
    const { code, output } = await run(root, FIRST_MS, { MUTANTS_REACHED: path })
    if (code !== 0) throw new Error(`The simulation fails without any mutant: ${output}`)
    return { reached: JSON.parse(readFileSync(path, 'utf8')), ms: performance.now() - started }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The seed that catches a mutant, if one does; `ms` is how long the seeds take without it. */
export async function catchBySeeds(root: string, id: string, ms: number): Promise<string | undefined> {
  const { code, output } = await run(root, Math.max(LEAST_MS, PATIENCE * ms), { MUTANT: id })
  if (code === 0) return undefined
  return code === undefined ? 'seeds that never end' : `seed ${/SEED=(\d+)/.exec(output)?.[1] ?? 1}`
}

function run(cwd: string, timeout: number, env: NodeJS.ProcessEnv) {
  return runCommand(process.execPath, ARGS, { cwd, timeout, env })
}
