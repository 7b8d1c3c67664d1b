import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import { plainRow, type Row } from '../row.ts'
import { randomBytes, samplePage } from '../sample-bytes.ts'
import { signIn } from '../sign-in.ts'
import { type Product, type ProductOptions, startProduct } from '../start-product.ts'
import { storeUpload } from '../store-upload.ts'

const MIB = 1 << 20
const LARGE_BYTES = 99_000
/** The default of MAX_CONTENT_BYTES, and what is left of it by whole transactions. */
const MAX_CONTENT = 16 * MIB - LARGE_BYTES
/** What is read is kept after it was sent, in the same memory. */
const KEPT_AFTER_MS = 3_000

const GROUP = 'Most memory at default sizes, of Worker and objects in one isolate'
const TARGET_MB = 100

/** How far the memory of a fresh isolate rises at the largest content that the default settings take. */
export async function measureMemory(bench: Bench): Promise<Row[]> {
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
  const page = samplePage(16 * MIB, 'memory merge')
  const merge = await peak(bench, async (product) => {
    const { accessToken } = await signIn(product)
    await storeUpload(product, accessToken, { blockchain: 'Nativecoin', mimetype: 'text/html', content: page })
  })
  rows.push(row('memory/merge', 'the merge of 16 MiB of HTML', merge))
  return rows
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
