import type { Bench } from '../bench.ts'
import { pairedRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { signIn } from '../sign-in.ts'
import { startBareWorker } from '../start-bare.ts'
import { type Product, startProduct } from '../start-product.ts'

const MIB = 2 ** 20
/** The size of the parts that the console sends. */
const PART = 8 * MIB
const PARTS = 6
const ROUNDS = 5
const LIMITS = [
  { id: 'upload/read', path: '/', limitWhat: 'bare Worker that reads' },
  { id: 'upload/kept', path: '/keep', limitWhat: 'bare Worker that reads and puts' },
]

/** An upload by tus in parts of 8 MiB, compared with a Worker that only reads bodies and one that also stores them. */
export async function measureUpload(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench)
  const alone = await startBareWorker('bare-reader', {}, [product.process])
  try {
    const { accessToken } = await signIn(product)
    const part = Buffer.from(randomBytes(PART, 'upload'))
    const pairs = new Map<string, { value: number; limit: number }[]>()
    const bare = `http://127.0.0.1:${alone.port('bare-reader')}`
    // The first request loads modules on demand.
    await sendParts(product, accessToken, part, 1)
    for (const { path } of LIMITS) await sendBare(bare + path, part, 1)
    for (let round = 0; round < ROUNDS; round++) {
      bench.progress(`upload: round ${round + 1} of ${ROUNDS}`)
      const value = await sendParts(product, accessToken, part, PARTS)
      for (const { id, path } of LIMITS) {
        const limit = await sendBare(bare + path, part, PARTS)
        pairs.set(id, [...(pairs.get(id) ?? []), { value, limit }])
      }
    }
    const shared = { group: 'Upload', what: 'PATCH of 8 MiB at /v0/upload', unit: 'MB/s', better: 'higher' as const }
    return LIMITS.map(({ id, limitWhat }) => pairedRow({ id, limitWhat, ...shared }, pairs.get(id) ?? []))
  } finally {
    await alone.close()
    await product.close()
  }
}

/** Megabytes a second of one upload in so many parts, one after another. */
async function sendParts({ port }: Product, accessToken: string, part: Buffer, parts: number): Promise<number> {
  const headers = { Authorization: `Bearer ${accessToken}`, 'Tus-Resumable': '1.0.0' }
  const created = await fetch(`http://127.0.0.1:${port}/v0/upload`, {
    method: 'POST',
    headers: {
      ...headers,
      'Upload-Length': String(parts * part.length),
      'Upload-Metadata': `filename ${btoa('upload.bin')},blockchain ${btoa('IPFS')}`,
    },
  })
  const url = new URL(created.headers.get('Location') ?? '', created.url)
  const started = performance.now()
  for (let index = 0; index < parts; index++) {
    const answer = await fetch(url, {
      method: 'PATCH',
      headers: {
        ...headers,
        'Upload-Offset': String(index * part.length),
        'Content-Type': 'application/offset+octet-stream',
      },
      body: part,
    })
    if (answer.status !== 204) throw new Error(`upload: ${answer.status} ${await answer.text()}`)
  }
  return megabytesPerSecond(parts * part.length, started)
}

/** The same for a bare Worker at `url`. */
async function sendBare(url: string, part: Buffer, parts: number): Promise<number> {
  const started = performance.now()
  for (let index = 0; index < parts; index++) await (await fetch(url, { method: 'PUT', body: part })).text()
  return megabytesPerSecond(parts * part.length, started)
}

function megabytesPerSecond(bytes: number, started: number): number {
  return bytes / 1e6 / ((performance.now() - started) / 1000)
}
