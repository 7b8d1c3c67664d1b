import { storeFile } from '../../tests/kit/store-files.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { type Bomb, storeBombs } from '../bombs.ts'
import { Inspector } from '../inspector.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import { longestPortionDuring, type Portion } from '../longest-portion.ts'
import { plainRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { type Product, startProduct } from '../start-product.ts'
import { percentile } from '../statistics.ts'

const GROUP = 'While strangers send bombs'
const CONNECTIONS = 96
const READERS = 4
const SECONDS = 15
/** What a warm read may take at the 99th percentile, and what one request may cost. */
const TARGET_MS = 250
const TARGET_CPU_MS = 1000
const CPU_MS_PER_MIB = 10
const TARGET_MB = 100
const TARGET_PORTION_MS = 10
/** Two portions of at most 10 ms: one is at work when the read comes, and another may be before it in the queue. */
const TARGET_WAIT_MS = 20
const ROUNDS = 3

/**
 * Warm reads beside 96 connections that ask for the bombs of the fuzzer's corpus in every form, over and over; then what
 * each bomb costs alone.
 */
export async function measureHostile(bench: Bench): Promise<Row[]> {
  let product = await startProduct({ ...bench, inspectorPort: 0 })
  try {
    bench.progress('hostile: storing the bombs')
    const bombs = await storeBombs(product)
    const txids = writeToNode(bench.devnet.devnet.node('Nativecoin'), randomBytes(10 * 1024, 'hostile'))
    const cid = await storeFile(product.miniflare, randomBytes(64 * 1024, 'hostile'))
    const reads = [`/v0/tx/Nativecoin/${txids.join()}`, `/ipfs/${cid}`]
    await readWarm(bench, product, reads)
    const beside = await readBeside(bench, product, bombs, reads)
    // What is left of the crowd's requests would count as what one costs.
    product = await product.restart()
    await readWarm(bench, product, reads)
    return [beside, ...(await costAlone(bench, product, bombs, reads))]
  } finally {
    await product.close()
  }
}

interface Drained {
  ms: number
  bytes: number
}

/** Reads an answer to its end, or to where it breaks off. */
async function drain({ port }: Product, bomb: Pick<Bomb, 'path' | 'headers'>, signal?: AbortSignal): Promise<Drained> {
  const begun = performance.now()
  const init = { headers: bomb.headers, ...(signal ? { signal } : {}) }
  let bytes = 0
  try {
    const response = await fetch(`http://127.0.0.1:${port}${bomb.path}`, init)
    for await (const part of response.body ?? []) bytes += part.length
  } catch {
    // That is how an answer ends which is larger than its budget, and a connection that is used again just then.
  }
  return { ms: performance.now() - begun, bytes }
}

/**
 * What memory has, read by a few for so long, each to its last byte, in milliseconds. They are in a thread of their own, so
 * that what the crowd's side of this process does is not measured with the service.
 * @throws unless every read is answered.
 */
async function readWarm(bench: Bench, { port }: Product, paths: string[], forMs?: number): Promise<number[]> {
  const requests = paths.map((path) => ({ method: 'GET' as const, path, headers: {} }))
  if (forMs === undefined) await bench.load.sequence({ port, requests, concurrency: 1 })
  const asking = { port, requests, concurrency: paths.length === 1 ? 1 : READERS }
  const { timings } = await bench.load.sequence({ ...asking, ...(forMs === undefined ? {} : { forMs }) })
  return timings.map(({ ms }) => ms)
}

async function readBeside(bench: Bench, product: Product, bombs: Bomb[], reads: string[]): Promise<Row> {
  bench.progress(`hostile: ${SECONDS} s of bombs over ${CONNECTIONS} connections`)
  const over = new AbortController()
  let sent = 0
  const throwing = Array.from({ length: CONNECTIONS }, async (_, connection) => {
    for (let turn = connection; !over.signal.aborted; turn++) {
      const bomb = bombs[turn % bombs.length]
      if (bomb) await drain(product, bomb, over.signal)
      sent++
    }
  })
  let times: number[]
  try {
    times = await readWarm(bench, product, reads, SECONDS * 1000)
  } finally {
    over.abort()
    await Promise.all(throwing)
  }
  return plainRow(
    {
      id: 'hostile/warm-p99',
      group: GROUP,
      what: `warm reads of 10 and 64 KB, 99 %, beside ${CONNECTIONS} connections of bombs`,
      unit: 'ms',
      better: 'lower',
      target: TARGET_MS,
      note: `${times.length} reads, ${sent} bombs answered or refused`,
    },
    [percentile(times, 0.99)],
  )
}

/** What one bomb costs alone; times in milliseconds. */
interface Cost {
  name: string
  /** CPU beyond what its verified bytes account for. */
  ms: number
  /** How far memory rises, garbage included. */
  megabytes: number
  /** The longest that the Worker's own code works without a return to the event loop. */
  portion: Portion
  /** How long a read from memory waits beside it: for the rest of a portion, and now and then for two. */
  wait: number
}

async function costAlone(bench: Bench, product: Product, bombs: Bomb[], reads: string[]): Promise<Row[]> {
  const inspector = await Inspector.connect(product.miniflare)
  const costs: Cost[] = []
  for (const bomb of bombs) {
    bench.progress(`hostile: ${bomb.name}`)
    costs.push(await costOf(bench, product, inspector, bomb, reads.slice(0, 1)))
  }
  inspector.close()
  return rowsOf(costs)
}

async function costOf(
  bench: Bench,
  product: Product,
  inspector: Inspector,
  { name, path, headers }: Bomb,
  reads: string[],
): Promise<Cost> {
  const memory = new IsolateMemory(inspector)
  let turn = 0
  const ask = async () => {
    // Another name each time: what was answered before is answered from memory.
    return await drain(product, { path: `${path}${path.includes('?') ? '&' : '?'}turn=${turn++}`, headers })
  }
  const before = product.process?.cpuMs() ?? Number.NaN
  const { bytes, ms } = await ask()
  const spent = (product.process?.cpuMs() ?? Number.NaN) - before
  const resting = await memory.bytes()
  const peak = await memory.peakDuring(ask)
  const portions: Portion[] = []
  const waits: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    portions.push(await longestPortionDuring(inspector, ask))
    const reading = readWarm(bench, product, reads, 2 * ms + 20)
    await ask()
    waits.push(Math.max(...(await reading)))
  }
  return {
    name,
    ms: spent - (CPU_MS_PER_MIB * bytes) / 2 ** 20,
    megabytes: (peak - resting) / 1e6,
    // Whatever else the machine does only adds to both.
    portion: portions.reduce((least, portion) => (portion.ms < least.ms ? portion : least)),
    wait: Math.min(...waits),
  }
}

function rowsOf(costs: readonly Cost[]): Row[] {
  const most = (figure: (cost: Cost) => number) =>
    costs.reduce((worst, cost) => (figure(cost) > figure(worst) ? cost : worst))
  const dearest = most(({ ms }) => ms)
  const largest = most(({ megabytes }) => megabytes)
  const longest = most(({ portion }) => portion.ms)
  const slowest = most(({ wait }) => wait)
  return [
    plainRow(
      {
        id: 'hostile/own-portion',
        group: GROUP,
        what: "longest that the Worker's own code works without a return to the event loop, garbage collection included",
        unit: 'ms',
        better: 'lower',
        target: TARGET_PORTION_MS,
        note: `${longest.name}: ${longest.portion.within}`,
      },
      [longest.portion.ms],
    ),
    plainRow(
      {
        id: 'hostile/portion',
        group: GROUP,
        what: 'longest that a read from memory waits beside one bomb, simulated R2 on the same thread included',
        unit: 'ms',
        better: 'lower',
        target: TARGET_WAIT_MS,
        note: slowest.name,
      },
      [slowest.wait],
    ),
    plainRow(
      {
        id: 'hostile/dearest',
        group: GROUP,
        what: `CPU of the dearest bomb alone, beyond ${CPU_MS_PER_MIB} ms for each MiB it got`,
        unit: 'ms',
        better: 'lower',
        target: TARGET_CPU_MS,
        note: dearest.name,
      },
      [dearest.ms],
    ),
    plainRow(
      {
        id: 'hostile/memory',
        group: GROUP,
        what: 'most memory that one bomb adds to the isolate, its garbage included',
        unit: 'MB',
        better: 'lower',
        target: TARGET_MB,
        note: largest.name,
      },
      [largest.megabytes],
    ),
  ]
}
