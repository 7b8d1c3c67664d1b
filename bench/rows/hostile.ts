import { storeFile } from '../../tests/kit/store-files.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { type Bomb, storeBombs } from '../bombs.ts'
import { IsolateMemory } from '../isolate-memory.ts'
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
    for (const path of [...reads, ...reads]) await drain(product, path)
    const beside = await readBeside(bench, product, bombs, reads)
    // What is left of the crowd's requests would count as what one costs.
    product = await product.restart()
    for (const path of reads) await drain(product, path)
    return [beside, ...(await costAlone(bench, product, bombs))]
  } finally {
    await product.close()
  }
}

interface Drained {
  ms: number
  status: number
  bytes: number
}

/** Reads an answer to its end, or to where it breaks off. */
async function drain({ port }: Product, path: string, signal?: AbortSignal): Promise<Drained> {
  const begun = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, signal ? { signal } : {})
  let bytes = 0
  try {
    for await (const part of response.body ?? []) bytes += part.length
  } catch {
    // That is how an answer ends which is larger than its budget.
  }
  return { ms: performance.now() - begun, status: response.status, bytes }
}

async function readBeside(bench: Bench, product: Product, bombs: Bomb[], reads: string[]): Promise<Row> {
  bench.progress(`hostile: ${SECONDS} s of bombs over ${CONNECTIONS} connections`)
  const over = new AbortController()
  let sent = 0
  const throwing = Array.from({ length: CONNECTIONS }, async (_, connection) => {
    for (let turn = connection; !over.signal.aborted; turn++) {
      await drain(product, bombs[turn % bombs.length]?.path ?? '/', over.signal).catch(() => undefined)
      sent++
    }
  })
  const times: number[] = []
  let failed = 0
  const until = performance.now() + SECONDS * 1000
  const reading = Array.from({ length: READERS }, async (_, reader) => {
    for (let turn = reader; performance.now() < until; turn++) {
      const { ms, status } = await drain(product, reads[turn % reads.length] ?? '/')
      times.push(ms)
      if (status !== 200) failed++
    }
  })
  await Promise.all(reading)
  over.abort()
  await Promise.all(throwing)
  if (failed > 0) throw new Error(`${failed} of ${times.length} warm reads failed`)
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

/** The CPU of the dearest bomb, beyond what its verified bytes account for, and how far memory rises for one, garbage included. */
async function costAlone(bench: Bench, product: Product, bombs: Bomb[]): Promise<Row[]> {
  const memory = await IsolateMemory.connect(product.miniflare)
  const costs: { name: string; ms: number; megabytes: number }[] = []
  for (const { name, path } of bombs) {
    bench.progress(`hostile: ${name}`)
    const before = product.process?.cpuMs() ?? Number.NaN
    const { bytes } = await drain(product, path)
    const spent = (product.process?.cpuMs() ?? Number.NaN) - before
    const resting = await memory.bytes()
    const peak = await memory.peakDuring(() => drain(product, path))
    costs.push({ name, ms: spent - (CPU_MS_PER_MIB * bytes) / 2 ** 20, megabytes: (peak - resting) / 1e6 })
  }
  memory.close()
  const dearest = costs.reduce((most, cost) => (cost.ms > most.ms ? cost : most))
  const largest = costs.reduce((most, cost) => (cost.megabytes > most.megabytes ? cost : most))
  return [
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
