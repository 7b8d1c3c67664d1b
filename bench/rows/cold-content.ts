import { writeToNode } from '../../tests/kit/write-content.ts'
import { BATCHES_AT_ONCE } from '../../worker/content/chain/fetch-transactions.ts'
import type { Bench } from '../bench.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import type { HttpRequest } from '../load/load-generator.ts'
import { pairedRow, plainRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { type Bare, startBareWorker } from '../start-bare.ts'
import { type Product, startProduct } from '../start-product.ts'
import { median } from '../statistics.ts'

const GROUP = 'Cold, from the node'
/** Transactions are cached one by one, so a round may request none of an earlier round. */
export const NOTHING_KEPT = { CACHE_BYTES_PER_HOUR: '0' }
/** Storing copies takes time after the response: milliseconds, and bytes a millisecond. */
const KEEPING = { least: 150, rate: 20_000 }
export const SMALL_BYTES = 80
export const LARGE_BYTES = 102_480

interface Measured {
  /** Milliseconds of each round. */
  ours: number[]
  node: number[]
  /** Only with a Worker of bare hops. */
  hops: number[]
  requests: number
}

/** Content that was never requested before, compared with a plain client that sends the same batches to the node. */
export async function measureColdContent(bench: Bench): Promise<Row[]> {
  bench.progress('cold content: storing 1,000 transactions')
  const bitcoin = bench.devnet.devnet.node('Bitcoin')
  const small = writeToNode(bitcoin, randomBytes(1_000 * SMALL_BYTES, 'cold'), SMALL_BYTES)
  const product = await startProduct({ ...bench, variables: NOTHING_KEPT })
  const node = await startNodeAlone(bench)
  const hops = await startBareHops(bench)
  try {
    const rows: Row[] = []
    await measure(bench, product, { node, hops }, 'Bitcoin', small, 20, 60)
    const perTransaction: { count: number; ms: number }[] = []
    for (const count of [1, 10, 100, 1_000]) {
      const rounds = count === 1_000 ? 9 : 15
      const measured = await measure(bench, product, { node, hops }, 'Bitcoin', small, count, rounds)
      const { ours, requests } = measured
      const what = `${count.toLocaleString('en-US')} transaction${count === 1 ? '' : 's'} of 80 bytes`
      perTransaction.push({ count, ms: median(ours) / count })
      rows.push(
        pairedRow(
          {
            id: `cold/${count}`,
            group: GROUP,
            what,
            unit: 'ms',
            limitWhat: 'the node alone',
            better: 'lower',
            target: 1.3,
            note: `${requests} request${requests === 1 ? '' : 's'} to the node`,
          },
          pairs(ours, measured.node),
        ),
        pairedRow(
          {
            id: `cold/${count}-hops`,
            group: GROUP,
            what: `${what}, the platform's part`,
            unit: 'ms',
            limitWhat: 'the bare hops',
            better: 'lower',
            note: 'rate limit, edge cache, R2, Durable Object, node: asked by a Worker that checks and keeps nothing',
          },
          pairs(ours, measured.hops),
        ),
      )
    }
    return [...rows, growthRow(perTransaction)]
  } finally {
    await hops.close()
    await node.close()
    await product.close()
  }
}

function pairs(ours: readonly number[], limits: readonly number[]): { value: number; limit: number }[] {
  return ours.map((value, index) => ({ value, limit: limits[index] ?? Number.NaN }))
}

/** How the time for each transaction grows from 100 to 1,000 transactions; 1 is linear. */
function growthRow(perTransaction: readonly { count: number; ms: number }[]): Row {
  const at = (count: number) => perTransaction.find((entry) => entry.count === count)?.ms ?? Number.NaN
  return plainRow(
    {
      id: 'cold/growth',
      group: GROUP,
      what: 'time per transaction, 1,000 beside 100',
      unit: '×',
      better: 'lower',
      target: 1.1,
    },
    [at(1_000) / at(100)],
  )
}

/** Content of 10 MB in transactions of 102,480 bytes: the time, and the memory above that of the idle Worker. */
export async function measureLargeContent(bench: Bench): Promise<Row[]> {
  bench.progress('cold content: storing 10 MB')
  const txids = writeToNode(bench.devnet.devnet.node('Nativecoin'), randomBytes(99 * LARGE_BYTES, 'large'), LARGE_BYTES)
  const rounds = 5
  const product = await startProduct({ ...bench, variables: NOTHING_KEPT })
  const node = await startNodeAlone(bench)
  let outcome: Measured
  try {
    await measure(bench, product, { node }, 'Nativecoin', txids, 20, 20)
    outcome = await measure(bench, product, { node }, 'Nativecoin', txids, 99, 2 * rounds)
  } finally {
    await product.close()
  }
  const memory = new Map<number, number[]>()
  for (let round = 0; round < rounds; round++) {
    // A new Worker for each, so that memory from an earlier round does not help.
    for (const count of round === 0 ? [10, 33, 99] : [99]) {
      memory.set(count, [...(memory.get(count) ?? []), await measureMemory(bench, node, txids, count)])
    }
  }
  await node.close()
  const smaller = [10, 33].map((count) => `${count} transactions: ${memory.get(count)?.[0]?.toFixed(0)} MB`)
  return [
    pairedRow(
      {
        id: 'cold/10mb',
        group: GROUP,
        what: '99 transactions of 102,480 bytes (10 MB)',
        unit: 'ms',
        limitWhat: 'the node alone',
        better: 'lower',
        target: 1.3,
        note: `${outcome.requests} requests to the node`,
      },
      pairs(outcome.ours, outcome.node),
    ),
    plainRow(
      {
        id: 'cold/memory',
        group: GROUP,
        what: 'peak memory of the isolate, 10 MB',
        unit: 'MB',
        better: 'lower',
        target: 100,
        note: `heap and buffers of the Worker and its Durable Objects in one isolate (${smaller.join(', ')})`,
      },
      memory.get(99) ?? [],
    ),
  ]
}

/** The most megabytes that a fresh isolate uses while it answers cold content. */
async function measureMemory(bench: Bench, node: Bare, txids: readonly string[], count: number): Promise<number> {
  const product = await startProduct({ ...bench, inspectorPort: 0 })
  try {
    await measure(bench, product, { node }, 'Nativecoin', txids, 1, 3)
    const memory = await IsolateMemory.connect(product.miniflare)
    const peak = await memory.peakDuring(() => measure(bench, product, { node }, 'Nativecoin', txids, count, 1))
    memory.close()
    return peak / 1e6
  } finally {
    await product.close()
  }
}

/** Asks the product, the node and the bare hops in turn for `count` of the transactions, in a new order in each round. */
export async function measure(
  bench: Bench,
  product: Product,
  beside: { node: Bare; hops?: Bare },
  blockchain: 'Bitcoin' | 'Nativecoin',
  all: readonly string[],
  count: number,
  rounds: number,
): Promise<Measured> {
  const measured: Measured = { ours: [], node: [], hops: [], requests: 0 }
  for (let round = 0; round < rounds; round++) {
    bench.progress(`cold content of ${count}: round ${round + 1} of ${rounds}`)
    const asked = freshList(all, count)
    const before = bench.devnet.requests()
    const request: HttpRequest = {
      method: 'POST',
      path: '/v0/blob',
      headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': `192.0.2.${Math.floor(Math.random() * 250)}` },
      body: JSON.stringify({ blockchain, txids: asked }),
    }
    const { ms, timings } = await bench.load.sequence({ port: product.port, requests: [request], concurrency: 1 })
    if (!timings[0]?.serverTiming.startsWith('cache;desc=miss')) throw new Error('what should be cold was cached')
    measured.requests = bench.devnet.requests() - before
    measured.ours.push(ms)
    // Content is stored in R2 and the edge cache after the response; the next round must not include that.
    await new Promise((resolve) => setTimeout(resolve, KEEPING.least + (timings[0]?.bytes ?? 0) / KEEPING.rate))
    const size = Math.ceil(asked.length / measured.requests)
    const batches = Array.from({ length: measured.requests }, (_, index) => ({
      blockchain,
      calls: asked.slice(index * size, (index + 1) * size).map(nodeCall),
    }))
    const direct: HttpRequest = { method: 'POST', path: '/', headers: {}, body: JSON.stringify(batches) }
    const ask = async (port: number) => (await bench.load.sequence({ port, requests: [direct], concurrency: 1 })).ms
    measured.node.push(await ask(beside.node.port('bare-fetch')))
    if (beside.hops) measured.hops.push(await ask(beside.hops.port('bare-hops')))
  }
  return measured
}

let turn = 0

/** A list of `count` transactions in a new order, which no edge cache has. */
function freshList(all: readonly string[], count: number): string[] {
  const first = turn++ % all.length
  return [...all.slice(first), ...all.slice(0, first)].slice(0, count)
}

function nodeCall(txid: string, id: number) {
  return { jsonrpc: '1.0', id, method: 'getrawtransaction', params: [txid, false] }
}

export async function startNodeAlone(bench: Bench): Promise<Bare> {
  return await startBareWorker('bare-fetch', nodeOf(bench))
}

export async function startBareHops(bench: Bench): Promise<Bare> {
  return await startBareWorker('bare-hops', nodeOf(bench), [], {
    durableObjects: { FETCHER: { className: 'Fetcher', useSQLite: true } },
    ratelimits: { LIMIT: { namespace_id: '1', simple: { limit: 1_000_000, period: 60 } } },
  })
}

function nodeOf(bench: Bench) {
  const authorization = `Basic ${btoa('devnet:devnet')}`
  return { url: `http://127.0.0.1:${bench.devnet.port}`, authorization, concurrency: BATCHES_AT_ONCE }
}
