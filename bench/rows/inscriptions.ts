import { writeInscription } from '../../devnet/others/transactions-of-others.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import { mineOthers } from '../../tests/kit/write-others.ts'
import type { Bench } from '../bench.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import { type HttpRequest, requestBytes } from '../load/load-generator.ts'
import { pairedRow, plainRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { type Product, startProduct } from '../start-product.ts'
import { median } from '../statistics.ts'
import { clientHeaders } from '../warm-pair.ts'

const GROUP = 'Inscriptions'
const VARIABLES = { INSCRIPTIONS: 'Bitcoin', CACHE_BYTES_PER_HOUR: '0' }
const CONNECTIONS = 8
const SLICE_MS = 50
const STARTS = 4
const ROUNDS = 4
const MIB = 1 << 20
/** With its script around it below the 4,000,000 bytes that a block holds of witnesses. */
const LARGEST = 3_900_000
const LARGE_ROUNDS = 5

/** Inscriptions beside content of the same bytes by its txid, and what the largest one costs. */
export async function measureInscriptions(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  if (bench.isSelected('inscriptions/warm')) rows.push(...(await measureWarm(bench)))
  if (bench.isSelected('inscriptions/4mb')) rows.push(...(await measureLargest(bench)))
  return rows
}

/** Restarted a few times: the place of a large body in memory changes its speed for the life of a process. */
async function measureWarm(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const [size, bytes] of [
    ['1k', randomBytes(1024, 'inscribed')],
    ['75k', randomBytes(75_000, 'inscribed')],
  ] as const) {
    const name = inscribe(bench, bytes)
    const txids = writeToNode(bench.devnet.devnet.node('Nativecoin'), bytes, 80_000)
    const pairs: { value: number; limit: number }[] = []
    let calls = 0
    for (let start = 0; start < STARTS; start++) {
      bench.progress(`inscriptions: ${size}, warm, start ${start + 1} of ${STARTS}`)
      const product = await startProduct({ ...bench, variables: VARIABLES })
      try {
        const before = bench.devnet.requests()
        await read(product, `/v0/web/Bitcoin/${name}`)
        calls = bench.devnet.requests() - before
        pairs.push(...(await duel(bench, product, `/v0/web/Bitcoin/${name}`, `/v0/web/Nativecoin/${txids}`)))
      } finally {
        await product.close()
      }
    }
    rows.push(
      pairedRow(
        {
          id: `inscriptions/warm-${size}`,
          group: GROUP,
          what: `GET /v0/web/<chain>/<name>, ${size}B, from memory`,
          unit: 'req/s',
          limitWhat: 'the same bytes by txid',
          better: 'higher',
          target: 0.9,
          note: `cold: ${calls} requests to the node`,
        },
        pairs,
      ),
    )
  }
  return rows
}

async function duel(bench: Bench, product: Product, ...paths: [string, string]) {
  const targets = []
  for (const path of paths) {
    const request: HttpRequest = { method: 'GET', path, headers: clientHeaders('identity') }
    for (let turn = 0; turn < 3; turn++) await read(product, path)
    const { timings } = await bench.load.sequence({ port: product.port, requests: [request], concurrency: 1 })
    if (timings[0]?.serverTiming !== 'cache;desc=memory') throw new Error(`${path} is not answered from memory`)
    targets.push({ port: product.port, bytes: requestBytes(request), status: 200 })
  }
  const pairs: { value: number; limit: number }[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const [ours, theirs] = await bench.load.duel({ targets, connections: CONNECTIONS, slices: 10, sliceMs: SLICE_MS })
    if (!ours || !theirs) throw new Error('a duel has two sides')
    // The first one warms both.
    if (round >= 0) pairs.push({ value: ours.requests / ours.seconds, limit: theirs.requests / theirs.seconds })
  }
  return pairs
}

/** Cold, each in a fresh isolate: time, and memory above what the isolate had before. */
async function measureLargest(bench: Bench): Promise<Row[]> {
  const name = inscribe(bench, randomBytes(LARGEST, 'largest'))
  const small = inscribe(bench, randomBytes(1024, 'before the largest'))
  const [pairs, cpu, bytes]: [{ value: number; limit: number }[], number[], number[]] = [[], [], []]
  for (let round = 0; round < LARGE_ROUNDS; round++) {
    bench.progress(`inscriptions: 4 MB, round ${round + 1} of ${LARGE_ROUNDS}`)
    const product = await startProduct({ ...bench, variables: VARIABLES, inspectorPort: 0 })
    try {
      await read(product, `/v0/web/Bitcoin/${small}`)
      const memory = await IsolateMemory.connect(product.miniflare)
      const before = await memory.bytes()
      const peak = await memory.peakDuring(() => read(product, `/v0/web/Bitcoin/${name}`))
      memory.close()
      bytes.push((peak - before) / MIB)
    } finally {
      await product.close()
    }
    const timed = await startProduct({ ...bench, variables: VARIABLES })
    try {
      await read(timed, `/v0/web/Bitcoin/${small}`)
      const limit = await timeOf(() => readFromNode(bench, name))
      const before = timed.process?.cpuMs() ?? Number.NaN
      const value = await timeOf(() => read(timed, `/v0/web/Bitcoin/${name}`))
      cpu.push((timed.process?.cpuMs() ?? Number.NaN) - before)
      pairs.push({ value, limit })
    } finally {
      await timed.close()
    }
  }
  const row = { group: GROUP, better: 'lower' as const }
  return [
    plainRow(
      {
        ...row,
        id: 'inscriptions/4mb-ms',
        what: '3.9 MB, cold',
        unit: 'ms',
        target: 500,
        note: `${median(cpu).toFixed(0)} ms of CPU in workerd; its hex from the node alone: ${median(pairs.map(({ limit }) => limit)).toFixed(0)} ms`,
      },
      pairs.map(({ value }) => value),
    ),
    plainRow(
      { ...row, id: 'inscriptions/4mb-memory', what: '3.9 MB, cold, memory above idle', unit: 'MiB', target: 24 },
      bytes,
    ),
  ]
}

function inscribe({ devnet }: Bench, body: Uint8Array): string {
  return mineOthers(devnet.devnet, 'Bitcoin', (coin) =>
    writeInscription(coin, { type: 'application/octet-stream', body }),
  )
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function readFromNode({ devnet }: Bench, name: string): Promise<void> {
  const { origin, pathname, username, password } = new URL(devnet.url('Bitcoin'))
  const response = await fetch(origin + pathname, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${username}:${password}`)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: 1, method: 'getrawtransaction', params: [name.slice(0, 64), false] }),
  })
  for await (const _ of response.body ?? []);
}

async function read({ port }: Product, path: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  for await (const _ of response.body ?? []);
}
