import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { showUsageIfAsked } from '../../scripts/show-usage.ts'
import { addToCorpus } from './add-to-corpus.ts'
import type { FuzzOrder, FuzzReport } from './fuzz-thread.ts'
import { MAX_BYTES } from './mutate.ts'
import { TARGETS } from './targets.ts'

showUsageIfAsked(`Usage: npm run fuzz -- [options]
Fuzzes the parsers of untrusted bytes, by default for ten minutes. An input that breaks a target is added to the corpus and
ends the run with 1.
  --seconds <n>     The duration for all targets together.
  --target <name>   Only one of ${TARGETS.map(({ name }) => name).join(', ')}.
  --seed <n>        Repeats a run with this seed.
  --keep            Adds inputs that reached new code to the corpus.`)
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    target: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
  },
})
const chosen = TARGETS.filter(({ name }) => values.target === undefined || name === values.target)
if (chosen.length === 0) throw new Error(`Targets are ${TARGETS.map(({ name }) => name).join(', ')}.`)
const seconds = Number(values.seconds) / chosen.length
const seed = Number(values.seed)
if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error('--seconds and --seed are numbers.')

/** How long (ms) a thread may be at one input: one that never ends must not hold the run. */
const STUCK_MS = 60_000

/** Runs one target in a thread of its own, which can always be ended. */
function runOne(target: string): Promise<FuzzReport> {
  const input = new SharedArrayBuffer(8 + MAX_BYTES)
  const head = new Int32Array(input, 0, 2)
  const order: FuzzOrder = { target, seconds, seed, input }
  const thread = new Worker(join(import.meta.dirname, 'fuzz-thread.ts'), { workerData: order })
  return new Promise((resolve, reject) => {
    let before = 0
    const timer = setInterval(() => {
      const runs = Atomics.load(head, 0)
      // None yet: it is still being loaded.
      if (runs === 0 || runs !== before) {
        before = runs
        return
      }
      const stuck = new Uint8Array(input, 8, Atomics.load(head, 1)).slice()
      resolve({ runs, covered: 0, found: [], fault: { input: stuck, problem: 'It does not end.' } })
      void thread.terminate()
    }, STUCK_MS)
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => clearInterval(timer))
  })
}

console.log(`seed ${seed}, ${seconds.toFixed(1)} s each`)
for (const { name } of chosen) {
  const { runs, covered, found, fault } = await runOne(name)
  console.log(
    `${name}: ${runs} inputs, ${covered} characters of source reached, ${found.length} inputs reached new ones`,
  )
  if (values.keep) for (const bytes of found) addToCorpus(name, bytes)
  if (!fault) continue
  console.error(`${addToCorpus(name, fault.input)} breaks ${name}:\n${fault.problem}`)
  process.exitCode = 1
}
