import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import {
  LARGE_BYTES,
  type Measured,
  measureCold,
  NOTHING_KEPT,
  SMALL_BYTES,
  startBareHops,
  startNodeAlone,
} from '../cold-requests.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import { pairedRow, plainRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import type { Bare } from '../start-bare.ts'
import { startProduct } from '../start-product.ts'
import { median } from '../statistics.ts'

const GROUP = 'Cold, from the node'

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
    await measureCold(bench, product, { node, hops }, 'Bitcoin', small, 20, 60)
    const perTransaction: { count: number; ms: number }[] = []
    for (const count of [1, 10, 100, 1_000]) {
      const rounds = count === 1_000 ? 9 : 15
      const measured = await measureCold(bench, product, { node, hops }, 'Bitcoin', small, count, rounds)
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
    await measureCold(bench, product, { node }, 'Nativecoin', txids, 20, 20)
    outcome = await measureCold(bench, product, { node }, 'Nativecoin', txids, 99, 2 * rounds)
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
    await measureCold(bench, product, { node }, 'Nativecoin', txids, 1, 3)
    const memory = await IsolateMemory.connect(product.miniflare)
    const peak = await memory.peakDuring(() => measureCold(bench, product, { node }, 'Nativecoin', txids, count, 1))
    memory.close()
    return peak / 1e6
  } finally {
    await product.close()
  }
}
