import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { showUsageIfAsked } from '../../scripts/show-usage.ts'
import { drawMutants } from './draw-mutants.ts'
import { findMutations } from './find-mutations.ts'
import { MutantSlot, stopCommands } from './mutant-slot.ts'
import { describeMutation, type Mutation } from './mutation.ts'
import { readSources } from './sources.ts'

showUsageIfAsked(`Usage: npm run test:mutants -- [options]
Changes the source of payments, writer, agent and storage in one place at a time, and counts how many of these mutants a seed
of the simulation or a test of the Worker catches.
  --seed <n>         Draws the mutants by this seed, by default 1.
  --count <n>        The number of mutants, by default 60.
  --skip <n>         Skips the first mutants, to continue a run that was ended.
  --jobs <n>         Mutants that are tried at once, by default 2.
  --at <path:line>   Tries only the mutations of one line.
  --list             Tries none and prints which mutants would be drawn, including those that fail the type check.`)
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    skip: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '2' },
    at: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
})
const [seed, count, jobs, skip] = [values.seed, values.count, values.jobs, values.skip].map(Number)
if (
  !Number.isInteger(seed) ||
  !Number.isInteger(count) ||
  !jobs ||
  !Number.isInteger(skip) ||
  count === undefined ||
  seed === undefined
) {
  throw new Error('--seed, --count, --jobs and --skip are whole numbers')
}

const root = join(import.meta.dirname, '../..')
execFileSync(process.execPath, [join(root, 'scripts/build.ts')], { stdio: 'inherit' })
const sources = new Map(readSources(root).map((source) => [source.path, source]))
const all = [...sources.values()].flatMap(({ path, text }) => findMutations(path, text))
const places = all.filter(({ path, line }) => values.at === undefined || values.at === `${path}:${line}`)
const drawn = drawMutants(places, seed)
for (let skipped = 0; skipped < (skip ?? 0); skipped++) drawn.next()
console.log(`${all.length} places to change in ${sources.size} files; ${count} mutants of seed ${seed}`)

function describe(mutation: Mutation): string {
  return describeMutation(sources.get(mutation.path)?.text ?? '', mutation)
}

if (values.list) {
  for (let n = 0; n < count; n++) {
    const next = drawn.next()
    if (!next.done) console.log(describe(next.value))
  }
  process.exit(0)
}

/** By the order in which they were drawn: which of them count does not depend on which ends first. */
const verdicts: ('invalid' | 'caught' | 'survived' | undefined)[] = []
const survivors: string[] = []
let valid = 0

async function work(slot: MutantSlot): Promise<void> {
  try {
    while (valid < (count ?? 0)) {
      const next = drawn.next()
      if (next.done) return
      const mutation = next.value
      const source = sources.get(mutation.path)
      if (!source) continue
      const place = verdicts.push(undefined) - 1
      // Counted before it is known: no more are begun than are needed.
      valid++
      const verdict = await slot.try(source, mutation)
      verdicts[place] = verdict.outcome
      if (verdict.outcome === 'invalid') {
        valid--
        continue
      }
      const text = describe(mutation)
      if (verdict.outcome === 'survived') survivors.push(text)
      console.log(verdict.outcome === 'caught' ? `caught by ${verdict.by}: ${text}` : `SURVIVED: ${text}`)
    }
  } finally {
    slot.close()
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopCommands()
    process.exit(1)
  })
}

const slots = Array.from({ length: jobs }, (_, index) => new MutantSlot(root, index))
for (const slot of slots) await slot.measure()
await Promise.all(slots.map(work))
const caught = verdicts.filter((outcome) => outcome === 'caught').length
const invalid = verdicts.filter((outcome) => outcome === 'invalid').length
console.log(`${invalid} were drawn anew: they failed the type check or an import`)
for (const text of survivors) console.log(`survivor: ${text}`)
console.log(`${caught} of ${caught + survivors.length} caught`)
