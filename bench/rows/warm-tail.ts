import { storeFile } from '../../tests/kit/store-files.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import type { HttpRequest } from '../load/load-generator.ts'
import { pairedRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import type { Bare } from '../start-bare.ts'
import type { Product } from '../start-product.ts'
import { percentile } from '../statistics.ts'
import { clientHeaders, portName, type WarmRequest, withWarmPair } from '../warm-pair.ts'

const STARTS = 3
const SLICES = 6
const SLICE_MS = 500
const SIZES = [
  ['1k', '1 KB', 1 << 10],
  ['100k', '100 KB', 100 << 10],
  ['1m', '1 MB', 1 << 20],
] as const

interface TailCase extends WarmRequest {
  what: string
}

/**
 * How long the slowest of a hundred responses from memory takes on one connection, compared with a Worker that only has
 * those responses. Copies for each response cause pauses of the garbage collector.
 */
export async function measureWarmTail(bench: Bench): Promise<Row[]> {
  const node = bench.devnet.devnet.node('Nativecoin')
  const stored = SIZES.map(([id, , size]) => writeToNode(node, randomBytes(size, `tail ${id}`)))
  const measured = new Map<string, { what: string; pairs: { value: number; limit: number }[] }>()
  for (let start = 0; start < STARTS; start++) {
    await withWarmPair(
      bench,
      (product) => prepareCases(product, stored),
      async (warm, { product, bare }) => {
        bench.progress(`warm tail: start ${start + 1} of ${STARTS}, ${warm.what}`)
        const pairs = measured.get(warm.id)?.pairs ?? []
        pairs.push(await measureCase(bench, warm, product, bare))
        measured.set(warm.id, { what: warm.what, pairs })
      },
    )
  }
  return [...measured].map(([id, { what, pairs }]) =>
    pairedRow(
      {
        ...{ id, group: 'Warm, the slowest of a hundred at one connection', what, unit: 'ms' },
        ...{ limitWhat: 'bare Worker', better: 'lower', target: 2 },
      },
      pairs,
    ),
  )
}

async function prepareCases(product: Product, stored: readonly string[][]): Promise<TailCase[]> {
  const get = (path: string): HttpRequest => ({ method: 'GET', path, headers: clientHeaders('identity') })
  const cases: TailCase[] = []
  for (const [index, [id, size, bytes]] of SIZES.entries()) {
    const chain = get(`/v0/web/Nativecoin/${stored[index]?.join()}`)
    const cid = await storeFile(product.miniflare, randomBytes(bytes, `tail ${id}`))
    cases.push({ id: `warm/tail-chain-${id}`, what: `GET /v0/web, ${size}`, status: 200, request: chain })
    cases.push({
      id: `warm/tail-ipfs-${id}`,
      what: `GET /ipfs/<cid>, ${size}`,
      status: 200,
      request: get(`/ipfs/${cid}`),
    })
  }
  return cases
}

/** The 99th percentile of both in milliseconds, measured in alternating slices. */
async function measureCase(
  bench: Bench,
  { id, request }: TailCase,
  product: Product,
  bare: Bare,
): Promise<{ value: number; limit: number }> {
  const ask = async (port: number) => {
    const { timings } = await bench.load.sequence({ port, requests: [request], concurrency: 1, forMs: SLICE_MS })
    return timings.map(({ ms }) => ms)
  }
  const ours: number[] = []
  const theirs: number[] = []
  await ask(product.port)
  await ask(bare.port(portName(id)))
  for (let slice = 0; slice < SLICES; slice++) {
    ours.push(...(await ask(product.port)))
    theirs.push(...(await ask(bare.port(portName(id)))))
  }
  return { value: percentile(ours, 0.99), limit: percentile(theirs, 0.99) }
}
