import { BATCHES_AT_ONCE } from '../worker/content/chain/fetch-transactions.ts'
import type { Bench } from './bench.ts'
import type { HttpRequest } from './load/load-generator.ts'
import { type Bare, startBareWorker } from './start-bare.ts'
import type { Product } from './start-product.ts'

/** Transactions are cached one by one, so a round may request none of an earlier round. */
export const NOTHING_KEPT = { CACHE_BYTES_PER_HOUR: '0' }
/** Storing copies takes time after the response: milliseconds, and bytes a millisecond. */
const KEEPING = { least: 150, rate: 20_000 }
export const SMALL_BYTES = 80
export const LARGE_BYTES = 102_480

export interface Measured {
  /** Milliseconds of each round. */
  ours: number[]
  node: number[]
  /** Only with a Worker of bare hops. */
  hops: number[]
  requests: number
}

/** Asks the product, the node and the bare hops in turn for `count` of the transactions, in a new order in each round. */
export async function measureCold(
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
