import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

/**
 * `npm run test:simulation -- --seeds 100000`: that many seeds, spread over the processors, and at the end how often
 * each kind of fault was met. `--json file` writes that down too, after every {@link PART} seeds; where the file is there
 * already, what it has is not run again: a run that was ended goes on. Ends with 1 where a seed found something wrong.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    first: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    json: { type: 'string' },
  },
})
const [seeds, first, processes] = [values.seeds, values.first, values.jobs].map(Number)
if (!Number.isInteger(seeds) || !seeds || !Number.isInteger(first) || first === undefined || !processes) {
  throw new Error('--seeds, --first and --jobs are whole numbers, --seeds and --jobs above 0')
}
const last = first + seeds - 1

/** Seeds that a failing run names. */
const MAX_NAMED = 10
/** Seeds after which the result so far is written down. */
const PART = 500

interface Summary {
  seeds: number
  failed: number[]
  met: Record<string, number>
}

interface Result extends Summary {
  first: number
  seconds: number
}

/** What an earlier run of the same seeds has written down. */
function readEarlier(path: string | undefined): Result {
  const nothing = { first: first ?? 1, seeds: 0, seconds: 0, failed: [], met: {} }
  if (path === undefined || !existsSync(path)) return nothing
  const earlier: Result = JSON.parse(readFileSync(path, 'utf8'))
  if (earlier.first !== first) throw new Error(`${path} begins with seed ${earlier.first}`)
  return earlier
}

/** Runs every `jobs`-th seed from `from` to `to`. */
function runShare(from: number, to: number, jobs: number): Promise<Summary> {
  const runner = join(import.meta.dirname, 'run-seeds.ts')
  const share = [from, to, jobs, MAX_NAMED].map(String)
  const child = spawn(process.execPath, [runner, ...share], { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    let summary: Summary | undefined
    const reader = createInterface(child.stdout)
    reader.on('line', (line) => {
      if (line.startsWith('{')) summary = JSON.parse(line)
      else console.log(line)
    })
    child.once('error', reject)
    reader.once('close', () => {
      if (summary) resolve(summary)
      else reject(new Error('A share of the seeds ended without a result'))
    })
  })
}

/** Adds what shares of seeds met to a result. */
function addShares(result: Result, shares: readonly Summary[], seconds: number): Result {
  const met = new Map(Object.entries(result.met))
  for (const share of shares) {
    for (const [kind, count] of Object.entries(share.met)) met.set(kind, (met.get(kind) ?? 0) + count)
  }
  return {
    first: result.first,
    seeds: shares.reduce((sum, share) => sum + share.seeds, result.seeds),
    seconds: result.seconds + seconds,
    failed: [...result.failed, ...shares.flatMap(({ failed }) => failed)].sort((a, b) => a - b),
    met: Object.fromEntries([...met].sort(([, a], [, b]) => b - a)),
  }
}

let result = readEarlier(values.json)
for (let from = first + result.seeds; from <= last && result.failed.length === 0; from += PART) {
  const started = performance.now()
  const to = Math.min(last, from + PART - 1)
  const jobs = Math.min(to - from + 1, processes)
  const shares = await Promise.all(Array.from({ length: jobs }, (_, index) => runShare(from + index, to, jobs)))
  result = addShares(result, shares, Math.round((performance.now() - started) / 1000))
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, undefined, 2)}\n`)
}
console.log(JSON.stringify(result, undefined, 2))
// A simulation in which nothing goes wrong shows nothing.
const faults = Object.values(result.met).reduce((sum, count) => sum + count, 0)
process.exit(result.failed.length > 0 || faults < result.seeds ? 1 : 0)
