import type { Bench } from '../bench.ts'
import { pairedRow, type Row } from '../row.ts'
import { samplePage } from '../sample-bytes.ts'
import { signIn } from '../sign-in.ts'
import { type Bare, startBareWorker } from '../start-bare.ts'
import { type Product, startProduct } from '../start-product.ts'

const MEDIA_TYPE = 'text/html'
const CASES = [
  { id: 'merge/1mb', bytes: 1 << 20, what: '1 MB of HTML (quality 11)' },
  { id: 'merge/8mb', bytes: 8 << 20, what: '8 MB of HTML (quality 9)' },
]

/** Joining, compressing, checking and storing an upload, beside nothing but the compressing. */
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

async function mergeSeconds({ port }: Product, accessToken: string, content: Uint8Array): Promise<number> {
  const send = async (method: string, path: string, body?: Uint8Array | string, type = 'application/json') => {
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': type }
    const init = { method, headers, ...(body === undefined ? {} : { body: Buffer.from(body) }) }
    return await fetch(`http://127.0.0.1:${port}/v0/item${path}`, init)
  }
  const fields = { name: 'page.html', mimetype: MEDIA_TYPE, blockchain: 'Nativecoin', size: content.length }
  const created = await send('POST', '', JSON.stringify(fields))
  if (created.status !== 201) throw new Error(`item: ${created.status} ${await created.text()}`)
  const { id, chunkSize, chunks }: { id: string; chunkSize: number; chunks: number } = JSON.parse(await created.text())
  for (let index = 0; index < chunks; index++) {
    const chunk = content.subarray(index * chunkSize, (index + 1) * chunkSize)
    const put = await send('PUT', `/${id}/chunk/${index}`, chunk, 'application/octet-stream')
    if (put.status !== 204) throw new Error(`chunk: ${put.status} ${await put.text()}`)
  }
  const started = performance.now()
  let merged = await send('POST', `/${id}/merge`)
  while (merged.status === 202) merged = await send('POST', `/${id}/merge`)
  if (merged.status !== 200) throw new Error(`merge: ${merged.status} ${await merged.text()}`)
  return (performance.now() - started) / 1000
}

async function compressSeconds(alone: Bare, content: Uint8Array): Promise<number> {
  const started = performance.now()
  const init = { method: 'POST', headers: { 'Content-Type': MEDIA_TYPE }, body: Buffer.from(content) }
  const response = await fetch(`http://127.0.0.1:${alone.port('raw-brotli')}/`, init)
  await response.text()
  return (performance.now() - started) / 1000
}
