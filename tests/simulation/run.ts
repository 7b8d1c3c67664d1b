import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

/**
 * `npm run test:simulation -- --seeds 100000`: that many seeds, spread over the processors, and at the end how often
 * each kind of fault was met. `--json file` writes that down too. Ends with 1 where a seed found something wrong.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    first: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
})
const seeds = Number(values.seeds)
const first = Number(values.first)
if (!Number.isInteger(seeds) || seeds < 1 || !Number.isInteger(first))
  throw new Error('--seeds is a whole number above 0')

/** Seeds that a failing run names. */
const MOST_NAMED = 10

interface Summary {
  seeds: number
  failed: number[]
  met: Record<string, number>
}

function runShare(index: number, jobs: number): Promise<Summary> {
  const runner = join(import.meta.dirname, 'run-seeds.ts')
  const share = [first + index, first + seeds - 1, jobs, MOST_NAMED].map(String)
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

const started = performance.now()
const jobs = Math.min(seeds, availableParallelism())
const shares = await Promise.all(Array.from({ length: jobs }, (_, index) => runShare(index, jobs)))
const met = new Map<string, number>()
for (const share of shares) {
  for (const [kind, count] of Object.entries(share.met)) met.set(kind, (met.get(kind) ?? 0) + count)
}
const result = {
  seeds: shares.reduce((sum, share) => sum + share.seeds, 0),
  seconds: Math.round((performance.now() - started) / 1000),
  failed: shares.flatMap(({ failed }) => failed).sort((a, b) => a - b),
  met: Object.fromEntries([...met].sort(([, a], [, b]) => b - a)),
}
console.log(JSON.stringify(result, undefined, 2))
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, undefined, 2)}\n`)
// A simulation in which nothing goes wrong shows nothing.
const faults = [...met.values()].reduce((sum, count) => sum + count, 0)
process.exit(result.failed.length > 0 || faults < seeds ? 1 : 0)
