import { brotliCompressSync } from 'node:zlib'
import { storeFile } from '../../tests/kit/store-files.ts'
import { storeItem } from '../../tests/kit/store-item.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import type { HttpRequest } from '../load/load-generator.ts'
import type { Row } from '../row.ts'
import { randomBytes, samplePage } from '../sample-bytes.ts'
import type { Product } from '../start-product.ts'
import { measureWarmCases, type WarmCase } from '../warm-cases.ts'
import { clientHeaders } from '../warm-pair.ts'

/** Txids to request; a restarted product finds them on the same chain. */
type Contents = Record<'page' | 'blob' | 'video' | 'small' | 'picture' | 'film', string[]>

function storeContents(bench: Bench): Contents {
  const node = bench.devnet.devnet.node('Nativecoin')
  // Half of it is compressible, so that the stored form is Brotli in more than one transaction.
  const video = Buffer.concat([randomBytes(8 << 20, 'video'), samplePage(2 << 20, 'video')])
  return {
    page: writeToNode(node, brotliCompressSync(samplePage(100 * 1024, 'page'))),
    blob: writeToNode(node, randomBytes(100 * 1024, 'blob')),
    video: writeToNode(node, brotliCompressSync(video, { params: { 1: 1 } })),
    small: writeToNode(node, randomBytes(1024, 'small')),
    picture: writeToNode(node, randomBytes(3_000_000, 'picture')),
    film: writeToNode(node, randomBytes(12_000_000, 'film')),
  }
}

async function prepareCases(
  product: Product,
  { page, blob, video, small, picture, film }: Contents,
): Promise<WarmCase[]> {
  const post = (path: string, txids: string[], acceptEncoding = 'identity'): HttpRequest => ({
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json', ...clientHeaders(acceptEncoding) },
    body: JSON.stringify({ blockchain: 'Nativecoin', txids }),
  })
  const item = await storeItem(await product.miniflare.getD1Database('DB'), {
    blockchain: 'Nativecoin',
    mimetype: 'video/mp4',
    txids: video,
  })
  const cid = await storeFile(product.miniflare, randomBytes(256 * 1024, 'file'))
  const smallCid = await storeFile(product.miniflare, randomBytes(1024, 'small'))
  const get = (path: string, headers: Record<string, string> = {}): HttpRequest => ({
    method: 'GET',
    path,
    headers: { ...clientHeaders('identity'), ...headers },
  })
  const range = { Range: `bytes=${5 << 20}-${(5 << 20) + (64 << 10) - 1}` }
  return [
    {
      id: 'warm/web-brotli',
      what: 'POST /v0/web, page of 100 KB, as stored Brotli',
      target: 0.8,
      status: 200,
      request: post('/v0/web', page, 'gzip, br'),
    },
    {
      id: 'warm/web-raw',
      what: 'POST /v0/web, page of 100 KB, raw',
      target: 0.8,
      status: 200,
      request: post('/v0/web', page),
    },
    {
      id: 'warm/blob',
      what: 'POST /v0/blob, 100 KB (200 KB of hex)',
      target: 0.8,
      status: 200,
      request: post('/v0/blob', blob),
    },
    {
      id: 'warm/web-3m',
      what: 'POST /v0/web, 3 MB',
      target: 0.9,
      status: 200,
      request: post('/v0/web', picture),
    },
    {
      id: 'warm/web-12m',
      what: 'POST /v0/web, 12 MB',
      target: 0.9,
      status: 200,
      request: post('/v0/web', film),
    },
    {
      id: 'warm/range',
      what: 'GET /v0/content, 64 KB in 10 MB',
      target: 0.7,
      status: 206,
      request: get(`/v0/content/${item}`, range),
    },
    { id: 'warm/ipfs', what: 'GET /ipfs/<cid>, 256 KB', target: 0.7, status: 200, request: get(`/ipfs/${cid}`) },
    // For such small responses nearly all time is per request, so the two must be within a tenth of each other.
    {
      id: 'warm/chain-1k',
      what: 'GET /v0/tx, 1 KB',
      target: 0.7,
      status: 200,
      request: get(`/v0/tx/Nativecoin/${small.join()}`),
    },
    { id: 'warm/ipfs-1k', what: 'GET /ipfs/<cid>, 1 KB', target: 0.7, status: 200, request: get(`/ipfs/${smallCid}`) },
  ]
}

/** Requests per second from memory, compared with a Worker that only has those responses. */
export async function measureWarmRetrieval(bench: Bench): Promise<Row[]> {
  bench.progress('warm retrieval: storing what is requested')
  const contents = storeContents(bench)
  return await measureWarmCases(bench, 'Warm, from memory', bench.quick ? 2 : 3, (product) =>
    prepareCases(product, contents),
  )
}
