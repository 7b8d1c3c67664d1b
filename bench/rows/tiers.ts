import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import type { HttpRequest } from '../load/load-generator.ts'
import { pairedRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { type Bare, startBareWorker } from '../start-bare.ts'
import { type Product, startProduct } from '../start-product.ts'
import { median } from '../statistics.ts'

/** Contents of each round, each one requested once from each tier; the first half only warms up a new Worker. */
const CONTENTS = 60
const BYTES = 100 * 1024
const TIERS = ['miss', 'r2', 'edge', 'memory'] as const
type Tier = (typeof TIERS)[number]

const WHAT: Record<Tier, string> = {
  miss: 'from the node',
  r2: 'from R2',
  edge: 'from the edge cache (Cache API)',
  memory: 'from memory',
}

/** One request at a time for content of 100 KB from each tier, compared with a Worker that only reads from there. */
export async function measureTiers(bench: Bench): Promise<Row[]> {
  const rounds = 5
  const node = bench.devnet.devnet.node('Nativecoin')
  const alone = await startBareWorker('bare-store', {})
  const found = new Map<Tier, { value: number; limit: number; rpc: number }[]>()
  try {
    await fetch(`http://127.0.0.1:${alone.port('bare-store')}/put/blob`, {
      method: 'PUT',
      body: Buffer.from(randomBytes(BYTES, 'alone')),
    })
    for (let round = 0; round < rounds; round++) {
      bench.progress(`tiers: round ${round + 1} of ${rounds}`)
      const txids = Array.from({ length: CONTENTS }, (_, index) =>
        writeToNode(node, randomBytes(BYTES, `tiers ${round} ${index}`)),
      )
      await measureRound(bench, txids, alone, (tier, pair) => found.set(tier, [...(found.get(tier) ?? []), pair]))
    }
  } finally {
    await alone.close()
  }
  return TIERS.toReversed().map((tier) => {
    const pairs = found.get(tier) ?? []
    const limitWhat = tier === 'miss' || tier === 'r2' ? 'bare R2 read' : 'bare cache read'
    const row = {
      id: `tiers/${tier}`,
      group: 'POST /v0/blob of 100 KB by tier, one at a time',
      what: WHAT[tier],
      unit: 'ms',
      limitWhat,
      better: 'lower' as const,
    }
    const rpc = median(pairs.map((pair) => pair.rpc))
    return pairedRow(tier === 'miss' ? { ...row, note: `of which the node took ${rpc.toFixed(0)} ms` } : row, pairs)
  })
}

async function measureRound(
  bench: Bench,
  contents: readonly string[][],
  alone: Bare,
  keep: (tier: Tier, pair: { value: number; limit: number; rpc: number }) => void,
): Promise<void> {
  const requests = contents.map((txids) => blobRequest(txids))
  let product = await startProduct(bench)
  try {
    const ask = async (tier: Tier): Promise<void> => {
      const asked = await bench.load.sequence({ port: product.port, requests, concurrency: 1 })
      const timings = asked.timings.slice(CONTENTS / 2)
      const wrong = timings.find(({ serverTiming }) => !serverTiming.startsWith(`cache;desc=${tier}`))
      if (wrong) throw new Error(`expected ${tier}, got ${wrong.serverTiming}`)
      const rpc = median(timings.map(({ serverTiming }) => Number(/rpc;dur=(\d+)/.exec(serverTiming)?.[1] ?? 0)))
      const bare = await bareTiming(bench, alone, tier === 'edge' || tier === 'memory' ? 'edge' : 'r2')
      keep(tier, { value: median(timings.map(({ ms }) => ms)), limit: bare, rpc })
    }
    await ask('miss')
    await settle()
    await product.stop()
    await rm(join(product.stateDir, 'cache'), { recursive: true, force: true })
    product = await restart(bench, product)
    await ask('r2')
    await settle()
    product = await restart(bench, product)
    await ask('edge')
    await ask('memory')
  } finally {
    await product.close()
  }
}

async function restart(bench: Bench, product: Product): Promise<Product> {
  await product.stop()
  return await startProduct({ ...bench, stateDir: product.stateDir })
}

/** Content is stored after it was sent; that must be done before the Worker is stopped. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1_000))
}

function blobRequest(txids: readonly string[]): HttpRequest {
  const body = JSON.stringify({ blockchain: 'Nativecoin', txids })
  return { method: 'POST', path: '/v0/blob', headers: { 'Content-Type': 'application/json' }, body }
}

async function bareTiming(bench: Bench, alone: Bare, tier: 'r2' | 'edge'): Promise<number> {
  const requests = new Array<HttpRequest>(CONTENTS).fill({ method: 'GET', path: `/${tier}/blob`, headers: {} })
  const { timings } = await bench.load.sequence({ port: alone.port('bare-store'), requests, concurrency: 1 })
  return median(timings.map(({ ms }) => ms))
}
