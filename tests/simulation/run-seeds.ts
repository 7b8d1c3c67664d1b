import { registerHooks } from 'node:module'
import type { runSeed as RunSeed } from './run-seed.ts'

/**
 * Runs seeds without vitest: `run-seeds.ts first last [step] [most] [part] [offset]` prints a line for each seed that finds
 * something wrong, at most `most` of them, after every `part` seeds one line of JSON with what was met, and ends with 1 where
 * anything was wrong. Of each `part` it runs every `step`-th seed, from the one `offset` behind the first on.
 */
registerHooks({
  resolve(specifier, context, next) {
    const stub = new URL('./cloudflare-workers.ts', import.meta.url).href
    return specifier === 'cloudflare:workers' ? { url: stub, shortCircuit: true } : next(specifier, context)
  },
})

/** Of so many seeds one is run with withdrawals as well, and with what else is about money. */
const WITHDRAWALS_EVERY = 2

const [first = '', last = '', step = '1', most = '1', part = last, offset = '0'] = process.argv.slice(2)

interface Summary {
  seeds: number
  failed: number[]
  /** Faults and events, and how often invariants were asked, by kind. */
  met: Record<string, number>
  checked: Record<string, number>
  /** How often the service did what few seeds have it do. */
  done: Record<string, number>
}

/** Runs every `step`-th seed from `from` on, `offset` seeds later, to `to`. */
async function runPart(runSeed: typeof RunSeed, from: number, to: number): Promise<Summary> {
  const summary: Summary = { seeds: 0, failed: [], met: {}, checked: {}, done: {} }
  for (let seed = from + Number(offset); seed <= to && summary.failed.length < Number(most); seed += Number(step)) {
    const found: string[] = []
    for (const withdrawals of seed % WITHDRAWALS_EVERY === 0 ? [false, true] : [false]) {
      const { problems, log, checked, done } = await runSeed(seed, { withdrawals })
      for (const line of log) count(summary.met, line.replace(/[0-9a-f]{64}|-?\d+/g, '#').split(':')[0] ?? '')
      for (const [invariant, times] of checked) count(summary.checked, invariant, times)
      for (const [what, times] of done) count(summary.done, what, times)
      if (problems.length > 0) found.push(`${withdrawals ? 'with withdrawals, ' : ''}${problems.join('; ')}`)
    }
    summary.seeds++
    if (found.length === 0) continue
    summary.failed.push(seed)
    console.log(`replay with SEED=${seed}: ${found.join('; ')}`)
  }
  return summary
}

function count(counts: Record<string, number>, kind: string, times = 1): void {
  counts[kind] = (counts[kind] ?? 0) + times
}

const { runSeed } = await import('./run-seed.ts')
// Where something was thrown a replay by vitest tells; until then an Error a call is a trace that nobody reads.
Error.stackTraceLimit = 1
let failures = 0
for (let from = Number(first); from <= Number(last) && failures < Number(most); from += Number(part)) {
  const summary = await runPart(runSeed, from, Math.min(Number(last), from + Number(part) - 1))
  failures += summary.failed.length
  console.log(JSON.stringify(summary))
}
process.exit(failures > 0 ? 1 : 0)
