import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { addItem, type FakeItem, type FakeState, type Target } from './fake-state.ts'

const CHUNK = 2 ** 20

interface Refusal {
  status: number
  code: string
  message: string
  retryAfter?: number
  times?: number
  next?: Refusal
}

/** What a test does to uploads on their way. */
export interface UploadWeather {
  /** Bytes of a chunk after which each of the next connections is cut, once each. */
  cuts: number[]
  /** Refuses each chunk with this status, or only so many `times` and then with the `next`. */
  refuse: Refusal | undefined
  /** The index of the first chunk that is refused. */
  refuseFrom: number
  /** The largest body of one request. */
  largest: number
  /** All bytes received, including those sent twice. */
  taken: number
}

/** What has arrived of an item: room for all its bytes, and the indexes of whole chunks. */
const arrived = new WeakMap<FakeItem, { whole: Buffer; chunks: Set<number> }>()

/** `POST /v0/item`: one item, or several. */
export function createItems(state: FakeState, body: Record<string, unknown>): object {
  if (!Array.isArray(body.items)) return createItem(state, body)
  return { items: body.items.map((each: Record<string, unknown>) => createItem(state, each)) }
}

function createItem(state: FakeState, body: Record<string, unknown>) {
  const { name, mimetype, blockchain, folder, order } = body
  const size = Number(body.size)
  const { id } = addItem(state, {
    name: String(name),
    mimetype: String(mimetype),
    blockchain: targetOf(blockchain),
    status: '201 Created',
    bytes: Buffer.alloc(0),
    size,
    folder: typeof folder === 'string' ? folder : null,
    order: typeof order === 'string' ? order : undefined,
  })
  const chunkSize = Math.min(size, CHUNK) || CHUNK
  return { id, chunkSize, chunks: Math.ceil(size / chunkSize) }
}

/** `PUT /v0/item/<id>/chunk/<index>`: stored whole, or not at all. */
export async function takeChunk(
  item: FakeItem,
  index: number,
  weather: UploadWeather,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { refuse } = weather
  if (refuse && index >= weather.refuseFrom) {
    const { status, code, message, retryAfter, times, next } = refuse
    if (times !== undefined) weather.refuse = times > 1 ? { ...refuse, times: times - 1 } : next
    request.resume()
    const wait = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
    response.writeHead(status, { 'Content-Type': 'application/json', ...wait }).end(JSON.stringify({ message, code }))
    return
  }
  const bytes = await readChunk(request, weather)
  if (!bytes) return
  weather.largest = Math.max(weather.largest, bytes.length)
  const { whole, chunks } = arrivedOf(item)
  bytes.copy(whole, index * CHUNK)
  chunks.add(index)
  item.bytes = whole.subarray(0, Math.min(firstMissing(chunks) * CHUNK, item.size))
  response.writeHead(204).end()
}

/** `GET /v0/upload/<id>`: the hashes of the chunks from the beginning. */
export function heldChunks({ bytes }: FakeItem): object {
  const hashes = Array.from({ length: Math.floor(bytes.length / CHUNK) }, (_, index) =>
    createHash('sha256')
      .update(bytes.subarray(index * CHUNK, (index + 1) * CHUNK))
      .digest('hex'),
  )
  return { chunkSize: CHUNK, received: bytes.length, hashes }
}

function arrivedOf(item: FakeItem) {
  const known = arrived.get(item) ?? {
    whole: Buffer.concat([item.bytes], item.size),
    chunks: new Set(Array.from({ length: Math.floor(item.bytes.length / CHUNK) }, (_, index) => index)),
  }
  arrived.set(item, known)
  return known
}

function firstMissing(chunks: ReadonlySet<number>): number {
  for (let index = 0; ; index++) if (!chunks.has(index)) return index
}

/** The body; `undefined` if the connection was cut. */
async function readChunk(request: IncomingMessage, weather: UploadWeather): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let length = 0
  const cut = weather.cuts.shift()
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue
    parts.push(part)
    length += part.length
    weather.taken += part.length
    if (cut === undefined || length < cut) continue
    request.socket.destroy()
    return undefined
  }
  return Buffer.concat(parts)
}

function targetOf(name: unknown): Target {
  return name === 'Dogecoin' || name === 'Bitcoin' || name === 'IPFS' ? name : 'Nativecoin'
}
