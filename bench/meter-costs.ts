import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { BLOCKCHAINS, type Blockchain, CHAINS } from '../protocol/chains.ts'
import { bundleWorker } from '../scripts/bundle-worker.ts'
import { METERED, type Metered, type Usage } from '../scripts/cost/usage.ts'
import { isRecord } from '../worker/platform/http/is-record.ts'
import { meteredWorker } from './metered-worker.ts'
import { payForItem, readPaidItem, requestPayment } from './pay-for-item.ts'
import { signIn } from './sign-in.ts'
import { type Product, startCountedDevnet, startProduct } from './start-product.ts'
import { storeUpload } from './store-upload.ts'

// Meters what Cloudflare bills: idle, for each item, and for each read. Real time, on this machine: a quarter of an hour.

const CRON_MS = 60_000
/** Of each state; in it Dogecoin has its usual blocks, and the others one. */
const STATE_SECONDS = 300
const ITEMS = 10
const WARM_READS = 2_000
const ITEM = { blockchain: 'Nativecoin', mimetype: 'application/octet-stream' }
const ITEM_BYTES = 10_000
/** A script that anybody can spend: of the miner, whose money nobody needs. */
const ANYBODY = Uint8Array.of(0x51)

const devnet = await startCountedDevnet()
const modules = meteredWorker(await bundleWorker())
const product = await startProduct({ modules, devnet })
const cron = setInterval(() => void runCron(product), CRON_MS)
try {
  const { accessToken } = await signIn(product)
  await runCron(product)
  mine(...BLOCKCHAINS)
  await wait(CRON_MS)

  const idle = await meterState()
  console.log('a second, idle', idle)
  const items: string[] = []
  const item = await meterPer(ITEMS, idle, async () => void items.push(await storeItem(accessToken)))
  console.log('an item', item)
  for (const blockchain of BLOCKCHAINS) {
    const id = await storeUpload(product, accessToken, { ...ITEM, blockchain, content: randomBytes(1_000) })
    await requestPayment(product, accessToken, blockchain, id)
  }
  const waiting = await meterState()
  console.log('a second, while a request is open on each chain', waiting)

  clearInterval(cron)
  await product.stop()
  // What the data centre has cached: a read is to reach the bucket.
  await rm(join(product.stateDir, 'cache'), { recursive: true, force: true })
  const other = await startProduct({ modules, devnet, stateDir: product.stateDir })
  try {
    const read = (id: string) => readContent(other, id)
    const cold = await meterPer(ITEMS, waiting, async (index) => await read(items[index] ?? ''), other)
    console.log('a read from the bucket', cold)
    const warm = await meterPer(WARM_READS, waiting, async (index) => await read(items[index % ITEMS] ?? ''), other)
    console.log('a read from memory', warm)
    const metered: Metered = { itemBytes: ITEM_BYTES, idle, waiting, item, cold, warm }
    writeFileSync(METERED, `${JSON.stringify(metered, undefined, 2)}\n`)
  } finally {
    await other.close()
  }
} finally {
  clearInterval(cron)
  await devnet.close()
}
process.exit()

async function runCron({ miniflare }: Product): Promise<void> {
  await (await miniflare.getWorker()).scheduled({ cron: '* * * * *' })
}

function mine(...blockchains: Blockchain[]): void {
  for (const blockchain of blockchains) devnet.devnet.node(blockchain).mine(ANYBODY)
}

/** In each second of the state that the service is in. */
async function meterState(): Promise<Usage> {
  const before = await usage(product)
  for (let second = 0; second < STATE_SECONDS; second += 60) {
    const usual = BLOCKCHAINS.filter((blockchain) => second % CHAINS[blockchain].blockSeconds === 0)
    mine(...usual)
    await wait(60_000)
  }
  return scale(await usage(product), before, 1 / STATE_SECONDS)
}

/** For each of `count` acts, without what the service uses in that time anyway, as `state` has it. */
async function meterPer(
  count: number,
  state: Usage,
  act: (index: number) => Promise<void>,
  of: Product = product,
): Promise<Usage> {
  const [before, began] = [await usage(of), Date.now()]
  for (let index = 0; index < count; index++) await act(index)
  const seconds = (Date.now() - began) / 1000
  const spent = scale(await usage(of), before, 1)
  return mapUsage((name) => Math.max(0, spent[name] - state[name] * seconds) / count)
}

async function storeItem(accessToken: string): Promise<string> {
  const id = await storeUpload(product, accessToken, { ...ITEM, content: randomBytes(ITEM_BYTES) })
  await payForItem(devnet, product, accessToken, ITEM.blockchain, id)
  while ((await readPaidItem(product, accessToken, id)).status !== '200 OK') {
    devnet.devnet.mineWaiting()
    await wait(1_000)
  }
  // The first reader has it fetched from the chain and put into the bucket.
  await readContent(product, id)
  return id
}

async function readContent({ port }: Product, id: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v0/content/${id}`)
  const { byteLength } = await response.arrayBuffer()
  if (byteLength !== ITEM_BYTES) throw new Error(`${response.status} with ${byteLength} bytes`)
}

async function usage({ port, process }: Product): Promise<Usage> {
  const counted: unknown = await (await fetch(`http://127.0.0.1:${port}/meter`)).json()
  const counts = isRecord(counted) ? counted : {}
  return mapUsage((name) => (name === 'cpuMs' ? (process?.cpuMs() ?? 0) : Number(counts[name])))
}

function scale(after: Usage, before: Usage, by: number): Usage {
  return mapUsage((name) => (after[name] - before[name]) * by)
}

function mapUsage(make: (name: keyof Usage) => number): Usage {
  return {
    requests: make('requests'),
    cpuMs: make('cpuMs'),
    statements: make('statements'),
    rowsRead: make('rowsRead'),
    rowsWritten: make('rowsWritten'),
    classA: make('classA'),
    classB: make('classB'),
    objectRequests: make('objectRequests'),
    objectMs: make('objectMs'),
    objectRowsRead: make('objectRowsRead'),
    objectRowsWritten: make('objectRowsWritten'),
  }
}
