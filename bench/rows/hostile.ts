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
/** The target of a warm read at the 99th percentile, and the most that one request may cost. */
const TARGET_MS = 250
const TARGET_CPU_MS = 1000
const CPU_MS_PER_MIB = 10
const TARGET_MB = 100
const TARGET_PORTION_MS = 10
/** Two portions of at most 10 ms: one may be running when the read arrives, and one may be queued before it. */
const TARGET_WAIT_MS = 20
const ROUNDS = 3

/**
 * Warm reads while 96 connections request the bombs of the fuzzer's corpus in every format, repeatedly; then the cost
 * of each bomb alone.
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
    // Remaining requests of the load would be counted as the cost of one.
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

/** Reads a response to its end, or to where it breaks off. */
async function drain({ port }: Product, bomb: Pick<Bomb, 'path' | 'headers'>, signal?: AbortSignal): Promise<Drained> {
  const begun = performance.now()
  const init = { headers: bomb.headers, ...(signal ? { signal } : {}) }
  let bytes = 0
  try {
    const response = await fetch(`http://127.0.0.1:${port}${bomb.path}`, init)
    for await (const part of response.body ?? []) bytes += part.length
  } catch {
    // A response larger than its budget ends like this, and so does a reused connection at that moment.
  }
  return { ms: performance.now() - begun, bytes }
}

/**
 * Reads content from memory for a time with a few connections, each to its last byte, in milliseconds. They run in a
 * separate thread, so that the load in this process is not measured as the service.
 * @throws unless every read is answered
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

/** The cost of one bomb alone; times in milliseconds. */
interface Cost {
  name: string
  /** CPU time beyond that for its verified bytes. */
  ms: number
  /** The increase of memory, garbage included. */
  megabytes: number
  /** The longest time that the Worker's own code runs without a return to the event loop. */
  portion: Portion
  /** How long a concurrent read from memory waits: for the rest of one portion, and sometimes for two. */
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
    // Another name each time, because earlier responses are in memory.
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
    // Other load on the machine can only increase both.
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
