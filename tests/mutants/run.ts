import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { showUsageIfAsked } from '../../scripts/show-usage.ts'
import { stopCommands } from './commands.ts'
import { drawMutants } from './draw-mutants.ts'
import { findMutations } from './find-mutations.ts'
import { type Known, MutantSlot, type Verdict } from './mutant-slot.ts'
import { describeMutation, GUARDS, type Mutation, OPERATORS } from './mutation.ts'
import { listTestFiles, Reach } from './reach.ts'
import { readSources } from './sources.ts'

showUsageIfAsked(`Usage: npm run test:mutants -- [options]
Changes the source of payments, writer, agent and storage in one place at a time, and counts how many of these mutants a seed
of the simulation or a test of the Worker catches.
  --seed <n>         Draws the mutants by this seed, by default 1.
  --count <n>        The number of mutants, by default 60.
  --skip <n>         Skips the first mutants, to continue a run that was ended.
  --jobs <n>         Mutants that are tried at once, by default 2.
  --at <path:line>   Tries only the mutations of one line.
  --in <path>        Draws only from sources whose path begins so.
  --guards           Leaves out conditions and statements, in place of the changes that are otherwise drawn.
  --known <file>     Stores what tests and seeds run, which takes minutes to find, for another run of the same tree.
  --list             Tries none and prints which mutants would be drawn, including those that fail the type check.`)
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    skip: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '2' },
    at: { type: 'string' },
    in: { type: 'string', default: '' },
    guards: { type: 'boolean', default: false },
    known: { type: 'string' },
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
const places = all.filter(
  ({ path, line }) => path.startsWith(values.in) && (values.at === undefined || values.at === `${path}:${line}`),
)
/** More are checked for their types than count: some fail. */
const SPARE = 1.3
const most = Math.ceil((Number(skip) + count) * SPARE)
const mutations = [...drawMutants(places, seed, values.guards ? GUARDS : OPERATORS)].slice(skip, most)
const drawn = mutations.values()
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
const verdicts: (Verdict['outcome'] | undefined)[] = []
const survivors: string[] = []
/** The unchanged source failed, too. */
const unknown: string[] = []
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
      const started = performance.now()
      const verdict = await slot.try(source, mutation, known)
      verdicts[place] = verdict.outcome
      if (verdict.outcome === 'invalid') {
        valid--
        continue
      }
      const text = describe(mutation)
      if (verdict.outcome === 'survived') survivors.push(text)
      if (verdict.outcome === 'unknown') unknown.push(text)
      const by = 'by' in verdict ? ` by ${verdict.by}` : ''
      const seconds = ((performance.now() - started) / 1000).toFixed()
      console.log(`${place + 1 + Number(values.skip)}. ${verdict.outcome}${by} in ${seconds} s: ${text}`)
    }
  } finally {
    slot.close()
  }
}

/** The mutations that fail the type check, of which one of each source is checked at once. */
async function findMistyped(): Promise<Set<Mutation>> {
  const mistyped = new Set<Mutation>()
  const byPath = Map.groupBy(
    mutations.filter(({ inSql }) => !inSql),
    ({ path }) => path,
  )
  const most = Math.max(0, ...[...byPath.values()].map(({ length }) => length))
  const groups = Array.from({ length: most }, (_, nth) => [...byPath.values()].flatMap((own) => own[nth] ?? []))
  const check = async (slot: MutantSlot) => {
    for (let group = groups.shift(); group; group = groups.shift()) {
      for (const mutation of await slot.findMistyped(group, sources)) mistyped.add(mutation)
    }
  }
  await Promise.all(slots.map(check))
  return mistyped
}

/** Test files that are mapped in one run. */
const MAPPED = 48

/**
 * What the unchanged source runs in which test file and in the seeds, from the file `--known` where it exists. Nothing with `--at`:
 * to try one line with all of its tests is faster than to find that.
 */
async function learn(): Promise<Pick<Known, 'files' | 'reach' | 'seeds'>> {
  const { known: path } = values
  if (path !== undefined && existsSync(path)) {
    const saved = JSON.parse(readFileSync(path, 'utf8'))
    return { ...saved, reach: new Reach(saved.reach) }
  }
  const files = listTestFiles(root)
  const reach = new Reach()
  if (values.at !== undefined) return { files, reach, seeds: undefined }
  const covered = slots[0]?.coverSeeds()
  const left = [...files]
  const map = async (slot: MutantSlot) => {
    while (left.length > 0) await slot.mapTests(left.splice(0, MAPPED), reach)
  }
  await Promise.all(slots.map(map))
  const learnt = { files, reach, seeds: await covered }
  if (path !== undefined) writeFileSync(path, JSON.stringify(learnt))
  return learnt
}

process.once('exit', stopCommands)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const slots = Array.from({ length: jobs }, (_, index) => new MutantSlot(root, index))
await Promise.all(slots.map((slot) => slot.measure()))
const mistyped = await findMistyped()
console.log(`${mistyped.size} of ${mutations.length} fail the type check`)
const known: Known = { ...(await learn()), mistyped }
console.log(`${known.files.length} test files are mapped`)
await Promise.all(slots.map(work))
const caught = verdicts.filter((outcome) => outcome === 'caught').length
const invalid = verdicts.filter((outcome) => outcome === 'invalid').length
console.log(`${invalid} were drawn anew: they failed the type check or an import`)
for (const text of survivors) console.log(`survivor: ${text}`)
for (const text of unknown) console.log(`unknown: ${text}`)
console.log(`${caught} of ${caught + survivors.length + unknown.length} caught`)
process.exitCode = unknown.length > 0 ? 1 : 0
