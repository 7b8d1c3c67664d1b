import { existsSync } from 'node:fs'
import { mapBounded } from '../../reader/map-bounded.ts'
import { NGINX, startNginx } from '../../tests/kit/start-nginx.ts'
import { storeFile } from '../../tests/kit/store-files.ts'
import type { Bench } from '../bench.ts'
import type { HttpRequest } from '../load/load-generator.ts'
import { pairedRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { startBareWorker } from '../start-bare.ts'
import { type Product, startProduct } from '../start-product.ts'
import { median, percentile } from '../statistics.ts'
import { clientHeaders } from '../warm-pair.ts'

const CONTENTS = 10_000
const LEAST_BYTES = 1 << 10
const MOST_BYTES = 16 << 20
const REQUESTS = 4_000
const ROUNDS = 5
const CONCURRENCY = 4
const STORED_AT_ONCE = 8
const PERCENTILES = [
  ['p50', 0.5],
  ['p99', 0.99],
  ['p999', 0.999],
] as const

/** A number from 0 to 1 for each index, the same in each run. */
function uniform(seed: string, index: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4, `${seed} ${index}`)
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) / 2 ** 32
}

/** The bytes of a content by a Pareto distribution with exponent 1, cut off at the largest. */
function sizeOf(index: number): number {
  const least = LEAST_BYTES / MOST_BYTES
  return Math.floor(LEAST_BYTES / (1 - uniform('size', index) * (1 - least)))
}

/** Indexes of contents by a Zipf distribution with exponent 1: the content at `n` is asked for 1 / (n + 1) as often as the first. */
function zipfIndexes(count: number): number[] {
  const sums: number[] = []
  for (let rank = 1; rank <= CONTENTS; rank++) sums.push((sums.at(-1) ?? 0) + 1 / rank)
  const all = sums.at(-1) ?? 1
  return Array.from({ length: count }, (_, request) => {
    const wanted = uniform('request', request) * all
    return sums.findIndex((sum) => sum > wanted)
  })
}

/**
 * How long responses take where ten thousand contents of 1 KB to 16 MiB are requested as often as people request them,
 * compared with a Worker that only reads R2; nginx with the same files stands in the notes, where it is installed.
 */
export async function measureMixed(bench: Bench): Promise<Row[]> {
  const contents = Array.from({ length: CONTENTS }, (_, index) => randomBytes(sizeOf(index), `mixed ${index}`))
  const bare = await startBareWorker('bare-store', {})
  const files = Object.fromEntries(contents.map((bytes, index) => [`${index}.bin`, bytes]))
  const nginx = existsSync(NGINX) ? await startNginx(files, { log: false }) : undefined
  const product = await startProduct(bench)
  try {
    const port = bare.port('bare-store')
    const cids = await store(bench, contents, product, port)
    const arms = [
      { port: product.port, path: (index: number) => `/ipfs/${cids[index]}`, headers: clientHeaders('identity') },
      { port, path: (index: number) => `/r2/${index}`, headers: {} },
      ...(nginx ? [{ port: nginx.port, path: (index: number) => `/${index}.bin`, headers: {} }] : []),
    ]
    const rounds: number[][][] = []
    const indexes = zipfIndexes(REQUESTS * ROUNDS)
    for (let round = 0; round < ROUNDS; round++) {
      bench.progress(`mixed: round ${round + 1} of ${ROUNDS}`)
      const wanted = indexes.slice(round * REQUESTS, (round + 1) * REQUESTS)
      const found: number[][] = []
      for (const arm of arms) {
        const requests = wanted.map(
          (index): HttpRequest => ({ method: 'GET', path: arm.path(index), headers: arm.headers }),
        )
        const { timings } = await bench.load.sequence({ port: arm.port, requests, concurrency: CONCURRENCY })
        found.push(timings.map(({ ms }) => ms))
      }
      rounds.push(found)
    }
    return PERCENTILES.map(([id, part]) => mixedRow(id, part, rounds))
  } finally {
    await product.close()
    await nginx?.close()
    await bare.close()
  }
}

/** The contents in the product's store and in the bare Worker's; returns their CIDs. */
async function store(bench: Bench, contents: Uint8Array[], product: Product, port: number): Promise<string[]> {
  let stored = 0
  return await mapBounded(contents, STORED_AT_ONCE, async (bytes, index) => {
    if (stored++ % 1000 === 0) bench.progress(`mixed: storing ${stored} of ${CONTENTS}`)
    await fetch(`http://127.0.0.1:${port}/put/${index}`, { method: 'PUT', body: Buffer.from(bytes) })
    return await storeFile(product.miniflare, bytes)
  })
}

function mixedRow(id: string, part: number, rounds: number[][][]): Row {
  const at = (round: number[][], arm: number) => percentile(round[arm] ?? [], part)
  const byNginx = median(rounds.map((round) => at(round, 2)))
  const what = `${CONTENTS} contents of 1 KB to 16 MiB by Zipf, the ${(part * 100).toLocaleString('en')}th percentile`
  return pairedRow(
    {
      ...{ id: `mixed/${id}`, group: 'What many people read', what, unit: 'ms' },
      ...{ limitWhat: 'bare Worker on R2', better: 'lower', target: 1 },
      ...(Number.isNaN(byNginx) ? {} : { note: `nginx ${byNginx.toFixed(1)} ms` }),
    },
    rounds.map((round) => ({ value: at(round, 0), limit: at(round, 1) })),
  )
}
