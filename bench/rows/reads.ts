import { existsSync } from 'node:fs'
import { NGINX, type PlainServer, startNginx } from '../../tests/kit/start-nginx.ts'
import { storeFile, storeFiles } from '../../tests/kit/store-files.ts'
import { storeItem } from '../../tests/kit/store-item.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import type { HttpRequest } from '../load/load-generator.ts'
import { rawRequest } from '../raw-request.ts'
import type { Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import type { Product } from '../start-product.ts'
import { measureWarmCases, type WarmCase } from '../warm-cases.ts'
import { clientHeaders } from '../warm-pair.ts'

const SIZES = [
  ['1k', '1 KB', 1000],
  ['100k', '100 KB', 100_000],
  ['1m', '1 MB', 1_000_000],
  ['3m', '3 MB', 3_000_000],
  ['12m', '12 MB', 12_000_000],
] as const
const RANGE = { Range: `bytes=${1 << 20}-${(2 << 20) - 1}` }
/** Sizes that are also read by a range. */
const BY_RANGE = new Set(['3m', '12m'])
const FILES_OF_FOLDER = 100
const GROUP = 'What people read, from memory'
const TARGET = 0.9
/** Fewer than elsewhere: there are 26 rows. */
const SLICES = 4

/** One content of each size, on a chain. */
interface Stored {
  key: (typeof SIZES)[number][0]
  size: string
  bytes: Uint8Array
  txids: string[]
}

/** The ways to one content, each as a path with the headers that it needs. */
async function routesTo(product: Product, { bytes, txids }: Stored): Promise<Record<string, HttpRequest>> {
  const db = await product.miniflare.getD1Database('DB')
  const item = await storeItem(db, { blockchain: 'Nativecoin', mimetype: 'image/jpeg', txids })
  return {
    chain: get(`/v0/web/Nativecoin/${txids.join()}`),
    ipfs: get(`/ipfs/${await storeFile(product.miniflare, bytes)}`),
    item: get('/', { Host: `${item}.storage.localhost` }),
  }
}

/**
 * What readers ask for, by each route and in each size, whole, by a range and unchanged, compared with a Worker that
 * only has those responses; nginx with the same files stands in the notes, where it is installed.
 */
export async function measureReads(bench: Bench): Promise<Row[]> {
  bench.progress('reads: storing what is requested')
  const node = bench.devnet.devnet.node('Nativecoin')
  const stored = SIZES.map(([key, size, length]): Stored => {
    const bytes = randomBytes(length, `reads ${key}`)
    return { key, size, bytes, txids: writeToNode(node, bytes) }
  })
  const files = Object.fromEntries(stored.map(({ key, bytes }) => [`${key}.jpg`, bytes]))
  const nginx = existsSync(NGINX) ? await startNginx(files, { log: false }) : undefined
  try {
    return await measureWarmCases(bench, GROUP, 1, (product) => prepareCases(product, stored, nginx), SLICES)
  } finally {
    await nginx?.close()
  }
}

async function prepareCases(
  product: Product,
  contents: readonly Stored[],
  nginx: PlainServer | undefined,
): Promise<WarmCase[]> {
  const cases: WarmCase[] = []
  for (const stored of contents) {
    const { key, size } = stored
    const file = get(`/${key}.jpg`)
    const beside = (request: HttpRequest, status: number) =>
      nginx && { nginx: { port: nginx.port, pid: nginx.pid, request, status } }
    for (const [route, request] of Object.entries(await routesTo(product, stored))) {
      const id = `reads/${route}-${key}`
      const shared = { target: TARGET, what: `${WHAT[route]}, ${size}` }
      cases.push({ ...shared, ...beside(file, 200), id, status: 200, request })
      if (BY_RANGE.has(key)) {
        // A range comes from memory once the whole content is there, at its third request.
        for (let turn = 0; turn < 3; turn++) await rawRequest(product.port, request)
        const ranged = { ...shared, ...beside(withHeaders(file, RANGE), 206), request: withHeaders(request, RANGE) }
        cases.push({ ...ranged, id: `${id}-range`, status: 206, what: `${shared.what}, a range of 1 MiB` })
      }
      if (key === '100k') {
        const unchanged = withHeaders(request, { 'If-None-Match': await etagOf(product.port, request) })
        const nginxTag = nginx && { 'If-None-Match': await etagOf(nginx.port, file) }
        const others = nginxTag && beside(withHeaders(file, nginxTag), 304)
        cases.push({
          ...shared,
          ...others,
          id: `${id}-304`,
          status: 304,
          request: unchanged,
          what: `${shared.what}, 304`,
        })
      }
    }
  }
  const tx = get(`/v0/tx/Nativecoin/${contents.find(({ key }) => key === '100k')?.txids.join()}`)
  cases.push({ id: 'reads/tx-100k', what: 'GET /v0/tx, 100 KB', target: TARGET, status: 200, request: tx })
  const names = Array.from({ length: FILES_OF_FOLDER }, (_, index) => [`file ${index}.txt`, `file ${index}`])
  const { root } = await storeFiles(product, Object.fromEntries(names))
  const folder = get(`/ipfs/${root}/`)
  const what = `GET /ipfs/<cid>/, a page of ${FILES_OF_FOLDER} files`
  cases.push({ id: 'reads/folder', what, target: TARGET, status: 200, request: folder })
  return cases
}

const WHAT: Record<string, string> = { chain: 'GET /v0/web', ipfs: 'GET /ipfs/<cid>', item: 'the host of an item' }

function get(path: string, headers: Record<string, string> = {}): HttpRequest {
  return { method: 'GET', path, headers: { ...clientHeaders('identity'), ...headers } }
}

function withHeaders(request: HttpRequest, headers: Record<string, string>): HttpRequest {
  return { ...request, headers: { ...request.headers, ...headers } }
}

async function etagOf(port: number, request: HttpRequest): Promise<string> {
  return (await rawRequest(port, request)).headers.etag ?? ''
}
