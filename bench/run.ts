import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { buildHook } from '../scripts/build.ts'
import { buildConsole } from '../scripts/build-console.ts'
import { bundleWorker } from '../scripts/bundle-worker.ts'
import { showUsageIfAsked } from '../scripts/show-usage.ts'
import type { Bench } from './bench.ts'
import { findRegressions } from './check-regression.ts'
import { drawChart } from './draw-chart.ts'
import { LoadGenerator } from './load/load-generator.ts'
import { type Row, reachesTarget } from './row.ts'
import { measureColdContent, measureLargeContent } from './rows/cold-content.ts'
import { measureColdFar } from './rows/cold-far.ts'
import { measureColdStart } from './rows/cold-start.ts'
import { measureFirstItem } from './rows/first-item.ts'
import { measureFirstPicture } from './rows/first-picture.ts'
import { measureFirstSite } from './rows/first-site.ts'
import { measureHook } from './rows/hook.ts'
import { measureHostile } from './rows/hostile.ts'
import { measureHostileFilling } from './rows/hostile-filling.ts'
import { measureHostileLogin } from './rows/hostile-login.ts'
import { measureInscriptions } from './rows/inscriptions.ts'
import { measureMemory } from './rows/memory.ts'
import { measureMerge } from './rows/merge.ts'
import { measureMixed } from './rows/mixed.ts'
import { measureReads } from './rows/reads.ts'
import { measureScale } from './rows/scale.ts'
import { measureServer } from './rows/server.ts'
import { measureStep } from './rows/step.ts'
import { measureStreams } from './rows/streams.ts'
import { measureTiers } from './rows/tiers.ts'
import { measureTokens } from './rows/tokens.ts'
import { measureUpload } from './rows/upload.ts'
import { measureWarmRetrieval } from './rows/warm-retrieval.ts'
import { measureWarmSite } from './rows/warm-site.ts'
import { measureWarmTail } from './rows/warm-tail.ts'
import { measureWriter } from './rows/writer.ts'
import { startCountedDevnet } from './start-product.ts'
import { formatTable } from './table.ts'

const USAGE = `Usage: npm run bench -- [options]
Measures everything, prints the table, writes results.json and chart.svg.
  --quick          Only the most significant rows, in under a minute. Fails if a ratio fell.
  --only <name>    Only groups with this part in their name, or rows of a group such as warm/1k. Nothing is written.
  --scale          Only a database of a million items: some twenty minutes, and 8 GB of disk. Nothing is written.
  --seconds <n>    The duration of the rows with attackers.`

const RESULTS = new URL('results.json', import.meta.url)
const CHART = new URL('chart.svg', import.meta.url)
/** How often the quick form repeats a group before it reports that a ratio fell. */
const TRIES = 3

type Group = { name: string; quick: boolean; measure(bench: Bench): Promise<Row[]> }

const GROUPS: Group[] = [
  { name: 'warm', quick: true, measure: measureWarmRetrieval },
  { name: 'reads', quick: false, measure: measureReads },
  { name: 'mixed', quick: false, measure: measureMixed },
  { name: 'warm-site', quick: false, measure: measureWarmSite },
  { name: 'warm-tail', quick: false, measure: measureWarmTail },
  { name: 'tiers', quick: false, measure: measureTiers },
  { name: 'cold', quick: false, measure: measureColdContent },
  { name: 'cold-far', quick: false, measure: measureColdFar },
  { name: 'large', quick: false, measure: measureLargeContent },
  { name: 'memory', quick: false, measure: measureMemory },
  { name: 'inscriptions', quick: false, measure: measureInscriptions },
  { name: 'tokens', quick: false, measure: measureTokens },
  { name: 'upload', quick: false, measure: measureUpload },
  { name: 'merge', quick: false, measure: measureMerge },
  { name: 'writer', quick: false, measure: measureWriter },
  { name: 'step', quick: false, measure: measureStep },
  { name: 'hostile', quick: false, measure: measureHostile },
  { name: 'hostile-login', quick: false, measure: (bench) => measureHostileLogin(bench, seconds) },
  { name: 'hostile-filling', quick: false, measure: (bench) => measureHostileFilling(bench, seconds) },
  { name: 'hook', quick: false, measure: measureHook },
  { name: 'first-picture', quick: false, measure: measureFirstPicture },
  { name: 'first-site', quick: false, measure: measureFirstSite },
  { name: 'streams', quick: false, measure: measureStreams },
  { name: 'first-item', quick: true, measure: measureFirstItem },
  { name: 'server', quick: false, measure: measureServer },
  { name: 'start', quick: true, measure: measureColdStart },
]

/** Measured alone: it takes too long for the rest. */
const SCALE: Group = { name: 'scale', quick: false, measure: measureScale }

interface Results {
  machine: string
  /** Of the run, as in ISO 8601. */
  date: string
  rows: Row[]
}

showUsageIfAsked(USAGE)
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    scale: { type: 'boolean', default: false },
    seconds: { type: 'string' },
  },
})
const { quick, only, scale } = values
const seconds = values.seconds === undefined ? undefined : Number(values.seconds)

const started = Date.now()
function progress(text: string): void {
  const line = `${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line.slice(0, process.stderr.columns - 1)}`)
  else process.stderr.write(`${line}\n`)
}

async function readCommitted(): Promise<Row[]> {
  const text = await readFile(RESULTS, 'utf8').catch(() => '{"rows":[]}')
  const results: Results = JSON.parse(text)
  return results.rows
}

/** Measures a group; the quick form repeats it if a ratio fell, and uses the better result of each row. */
async function measureGroup(group: Group, bench: Bench, committed: readonly Row[]): Promise<Row[]> {
  let rows = await group.measure(bench)
  for (let tries = 1; quick && tries < TRIES && findRegressions(rows, committed).length > 0; tries++) {
    progress(`${group.name}: a ratio fell, measuring again`)
    const again = await group.measure(bench)
    rows = rows.map((row) =>
      betterOf(
        row,
        again.find(({ id }) => id === row.id),
      ),
    )
  }
  return rows
}

function betterOf(row: Row, other: Row | undefined): Row {
  if (other?.ratio === undefined || row.ratio === undefined) return row
  return other.ratio > row.ratio === (row.better === 'higher') ? other : row
}

const committed = await readCommitted()
progress('building the page helper and the Worker')
await buildHook()
await buildConsole()
const modules = await bundleWorker()
const devnet = await startCountedDevnet()
const load = new LoadGenerator()
const rows: Row[] = []
/** Groups that could not be measured: the others go on. */
const broken: string[] = []
try {
  const isSelected = (id: string) => quick || id.includes(only?.split('/')[1] ?? '')
  const bench: Bench = { quick, modules, devnet, load, progress, isSelected }
  const usual = GROUPS.filter((group) =>
    quick ? group.quick : only === undefined || group.name.includes(only.split('/')[0] ?? ''),
  )
  const groups = scale ? [SCALE] : usual
  for (const group of groups) {
    try {
      rows.push(...(await measureGroup(group, bench, committed)))
    } catch (error) {
      broken.push(group.name)
      console.error(`\n${group.name} could not be measured:`, error)
    }
  }
} finally {
  await load.close()
  await devnet.close()
}
progress('done\n')
console.log(formatTable(rows))

if (quick) {
  const fallen = findRegressions(rows, committed)
  for (const { row, worst } of fallen) {
    const bound = row.better === 'higher' ? 'at least' : 'at most'
    console.error(`\n${row.id}: ratio ${row.ratio?.toFixed(2)}, and it was to be ${bound} ${worst.toFixed(2)}.`)
  }
  if (fallen.length > 0) process.exitCode = 1
} else if (only === undefined && !scale) {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'an unknown processor'}, Node ${process.version}`
  const date = new Date(started).toISOString().slice(0, 10)
  await writeFile(RESULTS, `${JSON.stringify({ machine, date, rows } satisfies Results, null, 2)}\n`)
  await writeFile(CHART, drawChart(rows))
  const missed = rows.filter((row) => reachesTarget(row) === false)
  if (missed.length > 0) console.log(`\nBelow target: ${missed.map(({ id }) => id).join(', ')}`)
}
if (broken.length > 0) {
  console.error(`\nNot measured: ${broken.join(', ')}`)
  process.exitCode = 1
}
