import type { Bench } from '../bench.ts'
import { pairedRow, type Row } from '../row.ts'
import { samplePage } from '../sample-bytes.ts'
import { signIn } from '../sign-in.ts'
import { type Bare, startBareWorker } from '../start-bare.ts'
import { type Product, startProduct } from '../start-product.ts'
import { storeUpload } from '../store-upload.ts'

const MEDIA_TYPE = 'text/html'
const CASES = [
  { id: 'merge/1mb', bytes: 1 << 20, what: '1 MB of HTML (quality 11)' },
  { id: 'merge/8mb', bytes: 8 << 20, what: '8 MB of HTML (quality 9)' },
]

/** Joining, compressing, verifying and storing an upload, compared with compressing alone. */
export async function measureMerge(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench)
  const alone = await startBareWorker('raw-brotli', {}, [product.process])
  try {
    const { accessToken } = await signIn(product)
    const rows: Row[] = []
    for (const { id, bytes, what } of CASES) {
      const rounds = 5
      const pairs: { value: number; limit: number }[] = []
      for (let round = 0; round < rounds; round++) {
        bench.progress(`merge of ${what}: round ${round + 1} of ${rounds}`)
        const content = samplePage(bytes, `${id} ${round}`)
        const megabytes = bytes / 1e6
        const ours = await mergeSeconds(product, accessToken, content)
        const theirs = await compressSeconds(alone, content)
        pairs.push({ value: megabytes / ours, limit: megabytes / theirs })
      }
      const limitWhat = 'raw native Brotli'
      rows.push(pairedRow({ id, group: 'Merge', what, unit: 'MB/s', limitWhat, better: 'higher', target: 0.8 }, pairs))
    }
    return rows
  } finally {
    await alone.close()
    await product.close()
  }
}

async function mergeSeconds(product: Product, accessToken: string, content: Uint8Array): Promise<number> {
  let started = performance.now()
  await storeUpload(product, accessToken, { blockchain: 'Nativecoin', mimetype: MEDIA_TYPE, content }, () => {
    started = performance.now()
  })
  return (performance.now() - started) / 1000
}

async function compressSeconds(alone: Bare, content: Uint8Array): Promise<number> {
  const started = performance.now()
  const init = { method: 'POST', headers: { 'Content-Type': MEDIA_TYPE }, body: Buffer.from(content) }
  const response = await fetch(`http://127.0.0.1:${alone.port('raw-brotli')}/`, init)
  await response.text()
  return (performance.now() - started) / 1000
}
