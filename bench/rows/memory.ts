import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import { payForItem, readPaidItem } from '../pay-for-item.ts'
import { plainRow, type Row } from '../row.ts'
import { randomBytes, samplePage } from '../sample-bytes.ts'
import { signIn } from '../sign-in.ts'
import {
  type CountedDevnet,
  type Product,
  type ProductOptions,
  startCountedDevnet,
  startProduct,
} from '../start-product.ts'
import { storeUpload } from '../store-upload.ts'
import { measureCrowd } from './crowd.ts'

const MIB = 1 << 20
const LARGE_BYTES = 99_000
/** The default of MAX_CONTENT_BYTES, and the same in whole transactions. */
const MAX_CONTENT = 16 * MIB - LARGE_BYTES
/** Content is cached after it was sent, in the same memory. */
const KEPT_AFTER_MS = 3_000

/** The size that the writer writes, the time between blocks, and the time limit. */
const PUBLISHED_BYTES = 10_000_000
const BLOCK_MS = 250
const LOOK_MS = 500
const PUBLISHED_WITHIN_MS = 240_000

const GROUP = 'Most memory at default sizes, of Worker and objects in one isolate'
const TARGET_MB = 100

/** The increase of memory in a fresh isolate for the largest content that the default settings allow. */
export async function measureMemory(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  if (['large', 'unusual'].some((name) => bench.isSelected(`memory/${name}`)))
    rows.push(...(await measureReading(bench)))
  if (bench.isSelected('memory/merge')) {
    const page = samplePage(16 * MIB, 'memory merge')
    const merge = await peak(bench, async (product) => {
      const { accessToken } = await signIn(product)
      await storeUpload(product, accessToken, { blockchain: 'Nativecoin', mimetype: 'text/html', content: page })
    })
    rows.push(row('memory/merge', 'the merge of 16 MiB of HTML', merge))
  }
  if (bench.isSelected('memory/publication')) rows.push(await measurePublication(bench))
  if (bench.isSelected('memory/crowd')) rows.push(...(await measureCrowd(bench)))
  return rows
}

async function measureReading(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  bench.progress('memory: storing 16 MiB')
  const bytes = randomBytes(MAX_CONTENT, 'memory')
  const txids = writeToNode(bench.devnet.devnet.node('Nativecoin'), bytes, LARGE_BYTES)
  for (const [id, what, variables] of [
    ['memory/large', '16 MiB in large transactions', {}],
    ['memory/unusual', 'the same on a chain whose usual ones are small', { MAX_DATA_BYTES_NATIVECOIN: '80' }],
  ] as const) {
    for (const path of ['blob', 'tx'] as const) {
      const megabytes = await peak({ ...bench, variables }, async (product) => {
        await read(product, `/v0/${path}`, txids)
        await new Promise((resolve) => setTimeout(resolve, KEPT_AFTER_MS))
      })
      rows.push(row(`${id}-${path}`, `${what}, POST /v0/${path}`, megabytes))
    }
  }
  return rows
}

/** From the payment of an item to its publication, in another isolate than the one that received the upload. */
async function measurePublication(bench: Bench): Promise<Row> {
  const devnet = await startCountedDevnet()
  bench.progress('memory: uploading 10 MB')
  let product = await startProduct({ ...bench, devnet, inspectorPort: 0 })
  const mining = setInterval(() => devnet.devnet.mineWaiting(), BLOCK_MS)
  try {
    const { accessToken } = await signIn(product)
    const content = randomBytes(PUBLISHED_BYTES, 'memory publication')
    const upload = { blockchain: 'Nativecoin', mimetype: 'application/octet-stream', content }
    const id = await storeUpload(product, accessToken, upload)
    product = await product.restart()
    await (await fetch(`http://127.0.0.1:${product.port}/v0/health`)).text()
    const memory = await IsolateMemory.connect(product.miniflare)
    bench.progress('memory: publishing 10 MB')
    const bytes = await memory.peakDuring(() => publish(devnet, product, accessToken, id))
    memory.close()
    return row('memory/publication', 'an item of 10 MB on its way to Nativecoin', bytes / 1e6)
  } finally {
    clearInterval(mining)
    await product.close()
    await devnet.close()
  }
}

async function publish(devnet: CountedDevnet, product: Product, token: string, id: string): Promise<void> {
  await payForItem(devnet, product, token, 'Nativecoin', id)
  const until = performance.now() + PUBLISHED_WITHIN_MS
  for (;;) {
    const item = await readPaidItem(product, token, id)
    if (item.status === '200 OK') return
    if (performance.now() > until) throw new Error(`not published in time: ${JSON.stringify(item)}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

function row(id: string, what: string, megabytes: number): Row {
  return plainRow({ id, group: GROUP, what, unit: 'MB', better: 'lower', target: TARGET_MB }, [megabytes])
}

async function peak(
  bench: Bench & Pick<ProductOptions, 'variables'>,
  work: (product: Product) => Promise<void>,
): Promise<number> {
  bench.progress('memory: a fresh isolate')
  const product = await startProduct({ ...bench, inspectorPort: 0 })
  try {
    await (await fetch(`http://127.0.0.1:${product.port}/v0/health`)).text()
    const memory = await IsolateMemory.connect(product.miniflare)
    const bytes = await memory.peakDuring(() => work(product))
    memory.close()
    return bytes / 1e6
  } finally {
    await product.close()
  }
}

async function read({ port }: Product, path: string, txids: readonly string[]): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ blockchain: 'Nativecoin', txids }),
  })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  for await (const _ of response.body ?? []);
}
