import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { showUsageIfAsked } from '../../scripts/show-usage.ts'
import { catchBySeeds, reachBySeeds, type SeedReach } from './catch-by-seeds.ts'
import { findMistyped } from './check-types.ts'
import { stopCommands } from './commands.ts'
import { drawMutants } from './draw-mutants.ts'
import { describeMutation, GUARDS, type Mutation, OPERATORS } from './mutation.ts'
import { listTestFiles, Reach, type TestGroup } from './reach.ts'
import { readSources } from './sources.ts'
import { listMutants, type Mutant } from './switch-mutants.ts'
import { TestRunner } from './test-runner.ts'
import { type TestVerdict, type Trial, tryMutants } from './try-mutants.ts'

showUsageIfAsked(`Usage: npm run test:mutants -- [options]
Changes the source of payments, writer, agent and storage in one place at a time, and counts how many of these mutants a
test of the Worker or a seed of the simulation catches.
  --seed <n>         Draws the mutants by this seed, by default 1.
  --count <n>        The number of mutants, by default 60.
  --jobs <n>         Processes that try mutants, by default 2.
  --at <path:line>   Tries only the mutations of one line.
  --in <path>        Draws only from sources whose path begins so.
  --guards           Leaves out conditions and statements, in place of the changes that are otherwise drawn.
  --known <file>     Stores what tests and seeds reach, which takes minutes to find, for another run of the same tree. Test files
                     that it lacks are added.
  --list             Tries none and prints which mutants would be drawn, including those that fail the type check.`)
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '2' },
    at: { type: 'string' },
    in: { type: 'string', default: '' },
    guards: { type: 'boolean', default: false },
    known: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
})
const [seed = NaN, count = NaN, jobs = NaN] = [values.seed, values.count, values.jobs].map(Number)
if (!Number.isInteger(seed) || !Number.isInteger(count) || !(jobs > 0)) {
  throw new Error('--seed, --count and --jobs are whole numbers')
}

const root = join(import.meta.dirname, '../..')
const sources = new Map(readSources(root).map((source) => [source.path, source]))
const all = [...sources.values()].flatMap(({ path, text }) => listMutants(path, text))
const places = all.filter(
  ({ path, line }) => path.startsWith(values.in) && (values.at === undefined || values.at === `${path}:${line}`),
)
/** More are checked for their types than count: some fail. */
const SPARE = 1.3
const drawn = [...drawMutants(places, seed, values.guards ? GUARDS : OPERATORS)].slice(0, Math.ceil(count * SPARE))
const describe = (mutation: Mutation): string => describeMutation(sources.get(mutation.path)?.text ?? '', mutation)
console.log(`${all.length} places to change in ${sources.size} files; ${count} mutants of seed ${seed}`)
if (values.list) {
  for (const mutation of drawn.slice(0, count)) console.log(describe(mutation))
  process.exit(0)
}

process.once('exit', stopCommands)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
execFileSync(process.execPath, [join(root, 'scripts/build.ts')], { stdio: 'inherit' })

interface Known {
  reach: Reach
  seeds: SeedReach
}

/** Test files that one workerd runs to find what they reach. */
const MAPPED = 24
const runners = Array.from({ length: jobs }, () => new TestRunner(root))

/**
 * What tests and seeds reach without any mutation, from the file `--known` where it exists. Nothing with `--at`: to try one line
 * with all tests near it is faster than to find that.
 */
async function learn(): Promise<Known | undefined> {
  const { known: path } = values
  const stored = path !== undefined && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  if (values.at !== undefined && stored.reach === undefined) return undefined
  const reach = new Reach(stored.reach)
  const files = listTestFiles(root).filter((file) => !reach.has(file))
  const left = [...files]
  const map = async (runner: TestRunner) => {
    while (left.length > 0) {
      const part = left.splice(0, MAPPED)
      await runner.run(
        part.map((path) => ({ path })),
        (file) => reach.add(file),
      )
      console.log(`${files.length - left.length} of ${files.length} test files are mapped`)
    }
  }
  await Promise.all(runners.map(map))
  const seeds: SeedReach = stored.seeds ?? (await reachBySeeds(root))
  if (path !== undefined) writeFileSync(path, JSON.stringify({ reach, seeds }))
  return { reach, seeds }
}

const mistyped = await findMistyped(root, drawn, sources, jobs)
const valid = drawn.filter((mutant) => !mistyped.has(mutant)).slice(0, count)
console.log(`${mistyped.size} of ${drawn.length} fail the type check`)
const known = await learn()
const reachedBySeeds = known && new Set(known.seeds.reached)

const started = performance.now()
const verdicts: { mutant: Mutant; outcome: TestVerdict['outcome'] }[] = []
function end(mutant: Mutant, verdict: TestVerdict): void {
  verdicts.push({ mutant, outcome: verdict.outcome })
  const by = 'by' in verdict ? ` by ${verdict.by}` : ''
  const seconds = ((performance.now() - started) / 1000).toFixed()
  console.log(`${verdicts.length}. ${verdict.outcome}${by} after ${seconds} s: ${describe(mutant)}`)
}

/** The tests that a mutant is tried with. */
function groupsFor(mutant: Mutant): Record<'short' | 'long', TestGroup[]> {
  const near = sources.get(mutant.path)?.tests ?? []
  if (known) return known.reach.groupsFor(mutant, near)
  const files = listTestFiles(root).filter((file) => near.some((one) => file.startsWith(one)))
  return { short: files.map((path) => ({ path, tests: undefined, ms: 0 })), long: [] }
}

/** Those of `mutants` that no short test, or no long one, catches. */
async function tryTests(mutants: readonly Mutant[], which: 'short' | 'long'): Promise<Mutant[]> {
  const left = mutants.values()
  const survivors: Mutant[] = []
  const next = (): Trial | undefined => {
    const { value: mutant } = left.next()
    if (!mutant) return undefined
    return { mutant, isImported: known?.reach.isImported(mutant.id) ?? true, groups: groupsFor(mutant)[which] }
  }
  const note = (mutant: Mutant, verdict: TestVerdict) => {
    if (verdict.outcome === 'survived') survivors.push(mutant)
    else end(mutant, verdict)
  }
  await Promise.all(runners.map((runner) => tryMutants(runner, next, note)))
  console.log(`${survivors.length} are caught by none of the ${which} tests`)
  return survivors
}

/** Those of `mutants` that no seed catches. */
async function trySeeds(mutants: readonly Mutant[]): Promise<Mutant[]> {
  const left = mutants.values()
  const survivors: Mutant[] = []
  const work = async () => {
    for (const mutant of left) {
      const isReached = reachedBySeeds?.has(mutant.id) ?? true
      const by = isReached ? await catchBySeeds(root, mutant.id, known?.seeds.ms ?? 0) : undefined
      if (by === undefined) survivors.push(mutant)
      else end(mutant, { outcome: 'caught', by })
    }
  }
  await Promise.all(runners.map(work))
  return survivors
}

// What is found fast goes first.
for (const mutant of await tryTests(await trySeeds(await tryTests(valid, 'short')), 'long')) {
  end(mutant, { outcome: 'survived' })
}
for (const runner of runners) runner.close()

const which = (wanted: TestVerdict['outcome']) =>
  verdicts.filter(({ outcome }) => outcome === wanted).map(({ mutant }) => describe(mutant))
for (const text of which('survived')) console.log(`survivor: ${text}`)
for (const text of which('unknown')) console.log(`unknown: ${text}`)
console.log(`${which('caught').length} of ${verdicts.length} caught`)
process.exitCode = which('unknown').length > 0 ? 1 : 0
