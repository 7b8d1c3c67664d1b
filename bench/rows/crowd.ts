import { brotliOfZeros } from '../../tests/kit/brotli-of-zeros.ts'
import { storeFile } from '../../tests/kit/store-files.ts'
import { uploadItem } from '../../tests/kit/upload-item.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { IsolateMemory } from '../isolate-memory.ts'
import { plainRow, type Row } from '../row.ts'
import { randomBytes, samplePage } from '../sample-bytes.ts'
import { signIn } from '../sign-in.ts'
import { type Product, startProduct } from '../start-product.ts'
import { median } from '../statistics.ts'

const MIB = 1 << 20
const LARGE_BYTES = 99_000
/** Content that decodes to the limit, and content that decodes to far more. */
const SERVED_BOMB = 32 * MIB - 16
const LARGE_BOMB = 800 * MIB
const BLOB = 16 * MIB - LARGE_BYTES
const IPFS_FILE = 100_000_000
const MERGED = 256 << 10
const READERS = 30
const MERGES = 10
const MERGE_AGAIN_MS = 200
/** Content is cached after it was sent, in the same memory. */
const KEPT_AFTER_MS = 1_500

const GROUP = 'A crowd in one isolate: 30 readers of each bomb, of 16 MiB and of an IPFS file of 100 MB, ten merges'

/** A response: whether it is right, and its milliseconds. */
interface Answer {
  kind: string
  right: boolean
  ms: number
}

/** Sends one request; throws if the response is neither right nor 503. */
type Ask = () => Promise<boolean>

/**
 * The most memory that a fresh isolate uses while many clients send all requests at once, and the share of right
 * responses.
 */
export async function measureCrowd(bench: Bench): Promise<Row[]> {
  bench.progress('memory: storing what the crowd requests')
  const node = bench.devnet.devnet.node('Nativecoin')
  const served = writeToNode(node, await brotliOfZeros(SERVED_BOMB))
  const large = writeToNode(node, await brotliOfZeros(LARGE_BOMB))
  const blob = writeToNode(node, randomBytes(BLOB, 'crowd blob'), LARGE_BYTES)
  let product = await startProduct({ ...bench, inspectorPort: 0 })
  try {
    const cid = await storeFile(product.miniflare, randomBytes(IPFS_FILE, 'crowd file'))
    const { accessToken } = await signIn(product)
    const items: string[] = []
    for (let index = 0; index < MERGES; index++) items.push(await upload(product, accessToken, index))
    const post = (path: string, txids: string[]) => () =>
      fetch(`http://127.0.0.1:${product.port}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
        body: JSON.stringify({ blockchain: 'Nativecoin', txids }),
      })
    const get = (path: string) => () =>
      fetch(`http://127.0.0.1:${product.port}${path}`, { headers: { 'Accept-Encoding': 'identity' } })
    // The chain is in this process, which is busy with reading, so the requests read from R2.
    for (const txids of [served, large, blob]) await (await post('/v0/blob', txids)()).arrayBuffer()
    await new Promise((resolve) => setTimeout(resolve, KEPT_AFTER_MS))
    product = await product.restart()
    await (await fetch(`http://127.0.0.1:${product.port}/v0/health`)).text()
    const asked: [string, number, Ask][] = [
      ['POST of a bomb', READERS, read(post('/v0/web', served), 200, SERVED_BOMB)],
      ['GET of a bomb', READERS, read(get(`/v0/web/Nativecoin/${served}`), 200, SERVED_BOMB)],
      ['larger bomb', READERS, read(post('/v0/web', large), 422)],
      ['blob', READERS, read(post('/v0/blob', blob), 200, 2 * BLOB)],
      ['IPFS file', READERS, read(get(`/ipfs/${cid}`), 200, IPFS_FILE)],
      ...items.map((id): [string, number, Ask] => ['merge', 1, merge(product, accessToken, id)]),
    ]
    const memory = await IsolateMemory.connect(product.miniflare)
    bench.progress('memory: a crowd')
    const answers: Answer[] = []
    const bytes = await memory.peakDuring(async () => {
      const all = asked.flatMap(([kind, count, ask]) => Array.from({ length: count }, () => timed(kind, ask)))
      answers.push(...(await Promise.all(all)))
      await new Promise((resolve) => setTimeout(resolve, KEPT_AFTER_MS))
    })
    memory.close()
    return rowsOf(bytes, answers)
  } finally {
    await product.close()
  }
}

function rowsOf(bytes: number, answers: readonly Answer[]): Row[] {
  const kinds = Map.groupBy(answers, ({ kind }) => kind)
  const told = [...kinds].map(([kind, all]) => `${kind} ${all.filter(({ right }) => right).length}/${all.length}`)
  const none = [...kinds].filter(([, all]) => !all.some(({ right }) => right)).map(([kind]) => kind)
  const right = none.length > 0 ? 0 : (100 * answers.filter((answer) => answer.right).length) / answers.length
  const times = answers.map(({ ms }) => ms / 1000)
  const note = `right: ${told.join(', ')}; the others 503`
  return [
    plainRow(
      { id: 'memory/crowd', group: GROUP, what: 'most memory', unit: 'MB', better: 'lower', target: 100, note },
      [bytes / 1e6],
    ),
    plainRow(
      {
        id: 'memory/crowd-right',
        group: GROUP,
        what: 'right answers, 0 where one kind has none',
        unit: '%',
        better: 'higher',
        target: 50,
      },
      [right],
    ),
    plainRow(
      {
        id: 'memory/crowd-slowest',
        group: GROUP,
        what: 'slowest answer',
        unit: 's',
        better: 'lower',
        target: 20,
        note: `median ${median(times).toFixed(1)} s`,
      },
      [Math.max(...times)],
    ),
  ]
}

async function timed(kind: string, ask: Ask): Promise<Answer> {
  const started = performance.now()
  const right = await ask().catch((cause: unknown) => {
    throw new Error(`${kind}: ${String(cause)}`, { cause })
  })
  return { kind, right, ms: performance.now() - started }
}

/** Right with this status and, if it is 200, so many bytes. */
function read(ask: () => Promise<Response>, status: number, length = 0): Ask {
  return async () => {
    const response = await ask()
    let bytes = 0
    for await (const part of response.body ?? []) bytes += part.length
    if (response.status === 503 && response.headers.has('Retry-After')) return false
    if (response.status === status && (status !== 200 || bytes === length)) return true
    throw new Error(`${response.status} of ${bytes} bytes`)
  }
}

function merge(product: Product, accessToken: string, id: string): Ask {
  return async () => {
    for (;;) {
      const { status, headers } = await requestOf(product, accessToken)('POST', `/item/${id}/merge`)
      if (status === 200) return true
      if (status === 503 && headers.has('Retry-After')) return false
      // An account may run only a few merges at once.
      if (status === 409) await new Promise((resolve) => setTimeout(resolve, MERGE_AGAIN_MS))
      else if (status !== 202) throw new Error(`merge: ${status}`)
    }
  }
}

async function upload(product: Product, accessToken: string, index: number): Promise<string> {
  const content = Uint8Array.from(samplePage(MERGED, `crowd ${index}`))
  const fields = { name: 'upload', blockchain: 'Nativecoin', mimetype: 'text/html' }
  return await uploadItem(requestOf(product, accessToken), fields, content)
}

function requestOf({ port }: Product, accessToken: string) {
  const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' }
  return (method: string, path: string, body?: Uint8Array<ArrayBuffer> | string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/v0${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
}
