import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { showUsageIfAsked } from '../../scripts/show-usage.ts'
import { HARD_PATHS } from './note-done.ts'

showUsageIfAsked(`Usage: npm run test:simulation -- [options]
Runs seeds of the simulation, spread over the processors, and prints how often each kind of fault occurred. Ends with 1 if a
seed found something wrong.
  --seeds <n>     The number of seeds, by default 700.
  --first <n>     The first seed, by default 1.
  --jobs <n>      Seeds that run at once, by default one for each processor.
  --json <file>   Writes the result so far into this file too. If it exists, the seeds in it are not run again.`)
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '700' },
    first: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    json: { type: 'string' },
  },
})
const [seeds, first, processes] = [values.seeds, values.first, values.jobs].map(Number)
if (!Number.isInteger(seeds) || !seeds || !Number.isInteger(first) || first === undefined || !processes) {
  throw new Error('--seeds, --first and --jobs are whole numbers, --seeds and --jobs above 0')
}
execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/build.ts')], { stdio: 'inherit' })
const last = first + seeds - 1

/** Seeds that a failing run names. */
const MAX_NAMED = 10
/** Seeds among which each of the writer's hard paths is met. */
const SEEDS_OF_ALL = 700
/** Seeds after which the result so far is written down. */
const PART = 100

interface Summary {
  seeds: number
  failed: number[]
  /** Faults and events by their kind. */
  met: Record<string, number>
  /** How often an invariant was asked of something that could have broken it. */
  checked: Record<string, number>
  /** How often the service did what few seeds have it do. */
  done: Record<string, number>
}

interface Result extends Summary {
  first: number
  seconds: number
}

/** What an earlier run of the same seeds has written down. */
function readEarlier(path: string | undefined): Result {
  const nothing = { first: first ?? 1, seeds: 0, seconds: 0, failed: [], met: {}, checked: {}, done: {} }
  if (path === undefined || !existsSync(path)) return nothing
  const earlier: Result = JSON.parse(readFileSync(path, 'utf8'))
  if (earlier.done === undefined) throw new Error(`${path} is of seeds with other weather: begin anew without it`)
  if (earlier.first !== first) throw new Error(`${path} begins with seed ${earlier.first}`)
  return earlier
}

/** Runs every `jobs`-th seed from `from` to `to`, the first of them `share` behind it; `onPart` has what each part came to. */
function runShare(from: number, jobs: number, share: number, onPart: (summary: Summary) => void): ChildProcess {
  const runner = join(import.meta.dirname, 'run-seeds.ts')
  const values = [from, last, jobs, MAX_NAMED, PART, share].map(String)
  const child = spawn(process.execPath, [runner, ...values], { stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{')) onPart(JSON.parse(line))
    else console.log(line)
  })
  return child
}

/** Runs the seeds from `from` on in processes of their own, until all are run or a part has found something wrong. */
async function runAll(from: number, onPart: (summaries: Summary[]) => boolean): Promise<void> {
  const jobs = Math.min(last - from + 1, processes ?? 1)
  const ready = Array.from({ length: jobs }, (): Summary[] => [])
  let children: ChildProcess[] = []
  const stop = () => {
    for (const child of children) child.kill()
  }
  const take = () => {
    while (ready.every((summaries) => summaries.length > 0)) {
      if (!onPart(ready.flatMap((summaries) => summaries.shift() ?? []))) return stop()
    }
  }
  children = ready.map((summaries, share) =>
    runShare(from, jobs, share, (summary) => {
      summaries.push(summary)
      take()
    }),
  )
  // They would run on by themselves.
  process.once('SIGTERM', () => {
    stop()
    process.exit(1)
  })
  await Promise.all(children.map((child) => once(child, 'close')))
}

/** Adds what shares of seeds met to a result. */
function addShares(result: Result, shares: readonly Summary[]): Result {
  return {
    first: result.first,
    seeds: shares.reduce((sum, share) => sum + share.seeds, result.seeds),
    seconds: result.seconds,
    failed: [...result.failed, ...shares.flatMap(({ failed }) => failed)].sort((a, b) => a - b),
    met: addCounts([result, ...shares].map(({ met }) => met)),
    checked: addCounts([result, ...shares].map(({ checked }) => checked)),
    done: addCounts([result, ...shares].map(({ done }) => done)),
  }
}

/** Counts of the same kinds added up, the most frequent first. */
function addCounts(all: readonly Record<string, number>[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const counts of all) {
    for (const [kind, count] of Object.entries(counts)) sums.set(kind, (sums.get(kind) ?? 0) + count)
  }
  return Object.fromEntries([...sums].sort(([, a], [, b]) => b - a))
}

let result = readEarlier(values.json)
const earlier = result.seconds
const started = performance.now()
if (result.seeds < seeds && result.failed.length === 0) {
  await runAll(first + result.seeds, (summaries) => {
    const seconds = earlier + Math.round((performance.now() - started) / 1000)
    result = addShares({ ...result, seconds }, summaries)
    // A part with a fault in it is run again once that is mended.
    if (values.json !== undefined && result.failed.length === 0)
      writeFileSync(values.json, `${JSON.stringify(result, undefined, 2)}\n`)
    return result.failed.length === 0
  })
}
console.log(JSON.stringify(result, undefined, 2))
// A simulation in which nothing goes wrong shows nothing.
const faults = Object.values(result.met).reduce((sum, count) => sum + count, 0)
const missing = seeds < SEEDS_OF_ALL ? [] : HARD_PATHS.filter((path) => !result.done[path])
for (const path of missing) console.log(`never met: ${path}`)
const whole = result.seeds === seeds && result.failed.length === 0 && faults >= result.seeds && missing.length === 0
process.exit(whole ? 0 : 1)
