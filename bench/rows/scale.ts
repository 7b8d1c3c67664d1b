import type { Bench } from '../bench.ts'
import { meteredWorker } from '../metered-worker.ts'
import type { Row } from '../row.ts'
import { type Act, actsWith } from '../scale/acts.ts'
import { fillDatabase } from '../scale/fill-database.ts'
import { signIn } from '../sign-in.ts'
import { type Product, startProduct } from '../start-product.ts'
import { median } from '../statistics.ts'

const GROUP = 'A database of a million items'
const SIZES = [1e3, 1e5, 1e6] as const
/** Of each act, after those that warm it. */
const TIMES = 25
const WARM = 3
const TARGET = 1.3
/** The number of oldest blocks that the history is spread over. */
const OLD_BLOCKS = 100
const BLOCKS = 400
/** A script that anybody can spend: of the miner, whose money nobody needs. */
const ANYBODY = Uint8Array.of(0x51)

interface Measured {
  ms: number
  rows: number
}

/**
 * Each list, search, login, upload and payment on a service with 10³, 10⁵ and 10⁶ items: p50 in milliseconds at the
 * most beside the fewest, and in its note the rows that D1 read at each size.
 */
export async function measureScale(bench: Bench): Promise<Row[]> {
  const { devnet } = bench
  for (let block = 0; block < BLOCKS; block++) devnet.devnet.node('Nativecoin').mine(ANYBODY)
  const blocks = devnet.devnet
    .node('Nativecoin')
    .chain.active.slice(0, OLD_BLOCKS)
    .map(({ hash }) => hash)
  const services: Service[] = []
  try {
    for (const size of SIZES) services.push(await startFilled(bench, size, blocks))
    const ids = services[0]?.acts.map(({ id, what }) => [id, what] as const) ?? []
    const rows: Row[] = []
    for (const [index, [id, what]] of ids.entries()) {
      bench.progress(`scale: ${what}`)
      rows.push(toRow(id, what, await measureAct(services, index)))
    }
    return rows
  } finally {
    for (const { product } of services) await product.close()
  }
}

interface Service {
  product: Product
  acts: Act[]
}

async function startFilled(bench: Bench, size: number, blocks: readonly string[]): Promise<Service> {
  const modules = meteredWorker(bench.modules)
  const empty = await startProduct({ modules, devnet: bench.devnet })
  const usual = await signIn(empty)
  const large = await signIn(empty, 'large')
  const operator = await signIn(empty, 'operator')
  const db = await empty.miniflare.getD1Database('DB')
  await db.prepare("UPDATE users SET role = 'admin' WHERE id = 'operator'").run()
  await empty.stop()
  const began = Date.now()
  bench.progress(`scale: filling a database with ${size.toLocaleString('en-US')} items`)
  const bytes = fillDatabase(empty.stateDir, size, { usual: 'bench', large: 'large' }, blocks)
  bench.progress(`scale: filled in ${((Date.now() - began) / 1000).toFixed(0)} s: ${(bytes / 1e6).toFixed(0)} MB`)
  const product = await startProduct({ modules, devnet: bench.devnet, stateDir: empty.stateDir })
  const tokens = { usual: usual.accessToken, large: large.accessToken, operator: operator.accessToken }
  return { product, acts: actsWith(tokens) }
}

/** The medians of each service, which take turns, so that the load of the machine is on all of them. */
async function measureAct(services: readonly Service[], index: number): Promise<Measured[]> {
  const taken = services.map(() => ({ ms: [] as number[], rows: [] as number[] }))
  for (let time = 0; time < WARM + TIMES; time++) {
    for (const [at, { product, acts }] of services.entries()) {
      const before = await readRows(product)
      const began = performance.now()
      await acts[index]?.run(product)
      const ms = performance.now() - began
      if (time < WARM) continue
      taken[at]?.ms.push(ms)
      taken[at]?.rows.push((await readRows(product)) - before)
    }
  }
  return taken.map(({ ms, rows }) => ({ ms: median(ms), rows: median(rows) }))
}

async function readRows({ port }: Product): Promise<number> {
  const counts: { rowsRead: number } = JSON.parse(await (await fetch(`http://127.0.0.1:${port}/meter`)).text())
  return counts.rowsRead
}

function toRow(id: string, what: string, sizes: readonly Measured[]): Row {
  const [value, limit] = [sizes.at(-1)?.ms ?? Number.NaN, sizes[0]?.ms ?? Number.NaN]
  const rows = sizes.map((measured) => measured.rows.toLocaleString('en-US'))
  return {
    id: `scale/${id}`,
    group: GROUP,
    what,
    value,
    limit,
    unit: 'ms',
    limitWhat: 'the same with 1,000 items',
    ratio: value / limit,
    better: 'lower',
    target: TARGET,
    rounds: TIMES,
    note: `rows read at 10³, 10⁵, 10⁶ items: ${rows.join(', ')}`,
  }
}
