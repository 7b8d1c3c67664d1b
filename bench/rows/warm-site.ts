import { brotliCompressSync } from 'node:zlib'
import { carOf } from '../../tests/kit/car-of.ts'
import { storeFile } from '../../tests/kit/store-files.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { type HttpRequest, requestBytes } from '../load/load-generator.ts'
import { rawRequest } from '../raw-request.ts'
import { pairedRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { startProduct } from '../start-product.ts'
import { clientHeaders } from '../warm-pair.ts'

const CONNECTIONS = 8
const SLICES = 12
const SLICE_MS = 50
const SIZES = [
  ['', '256 KB', 256 << 10],
  ['-1k', '1 KB', 1 << 10],
] as const

/** Requests per second of files of a website on a chain from memory, beside the same files by their own CIDs. */
export async function measureWarmSite(bench: Bench): Promise<Row[]> {
  bench.progress('warm site: storing what is requested')
  const files = SIZES.map(([id, , size]) => ({ path: `files/site${id}.bin`, bytes: randomBytes(size, `site${id}`) }))
  const car = await carOf({
    'index.html': 'home',
    ...Object.fromEntries(files.map(({ path, bytes }) => [path, bytes])),
  })
  const node = bench.devnet.devnet.node('Nativecoin')
  const site = `/v0/web/Nativecoin/${writeToNode(node, brotliCompressSync(car)).join()}`
  const product = await startProduct(bench)
  const rows: Row[] = []
  try {
    for (const [at, [id, size]] of SIZES.entries()) {
      const { path = '', bytes = new Uint8Array(0) } = files[at] ?? {}
      const cid = await storeFile(product.miniflare, bytes)
      const requests = [`${site}/${path}`, `/ipfs/${cid}`].map(getOf)
      for (const request of requests) await requireWarm(product.port, request, bytes)
      const targets = requests.map((request) => ({ port: product.port, bytes: requestBytes(request), status: 200 }))
      const duel = () => bench.load.duel({ targets, connections: CONNECTIONS, slices: SLICES, sliceMs: SLICE_MS })
      await duel()
      const pairs: { value: number; limit: number }[] = []
      for (let round = 0; round < 8; round++) {
        bench.progress(`warm site: ${size}, round ${round + 1} of 8`)
        const [ours, theirs] = await duel()
        if (!ours || !theirs) throw new Error('a duel has two sides')
        pairs.push({ value: ours.requests / ours.seconds, limit: theirs.requests / theirs.seconds })
      }
      const what = `a file of a website by its txids, ${size}`
      const row = { id: `warm/site${id}`, group: 'Warm, from memory', what, unit: 'req/s' }
      rows.push(pairedRow({ ...row, limitWhat: 'the file by its CID', better: 'higher', target: 0.9 }, pairs))
    }
  } finally {
    await product.close()
  }
  return rows
}

function getOf(path: string): HttpRequest {
  return { method: 'GET', path, headers: clientHeaders('identity') }
}

/** @throws where an answer has other bytes, or is not from memory after its first request. */
async function requireWarm(port: number, request: HttpRequest, bytes: Uint8Array): Promise<void> {
  let timing: string | undefined
  for (let turn = 0; turn < 3; turn++) {
    const { status, headers, body } = await rawRequest(port, request)
    if (status !== 200 || !body.equals(bytes)) throw new Error(`${request.path}: ${status}, not the bytes of the file`)
    timing = headers['server-timing']
  }
  if (timing !== 'cache;desc=memory') throw new Error(`${request.path}: not from memory: ${timing}`)
}
