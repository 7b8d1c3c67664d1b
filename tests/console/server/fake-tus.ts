import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { addItem, type FakeItem, type FakeState, type Target } from './fake-state.ts'

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
  /** Bytes after which each of the next connections is cut, once each. */
  cuts: number[]
  /** Refuses each PATCH with this status, or only so many `times` and then with the `next`. */
  refuse: Refusal | undefined
  /** The largest body of one request. */
  largest: number
  /** All bytes received, including those sent twice. */
  taken: number
}

/** Room for all bytes of an upload, so that each part is copied once. */
const wholes = new WeakMap<FakeItem, Buffer>()
const sizes = new WeakMap<FakeState, Map<string, number>>()

/** tus 1.0 as the service implements it: every byte that arrived before a disconnect is stored. */
export async function answerTus(
  state: FakeState,
  weather: UploadWeather,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const wanted = sizes.get(state) ?? new Map<string, number>()
  sizes.set(state, wanted)
  response.setHeader('Tus-Resumable', '1.0.0')
  const id = path.split('/')[3]
  if (request.method === 'POST' && id === undefined) {
    const metadata = readMetadata(request.headers['upload-metadata'])
    const item = addItem(state, {
      name: metadata.filename ?? '',
      mimetype: metadata.filetype ?? '',
      blockchain: targetOf(metadata.blockchain),
      status: '201 Created',
      bytes: Buffer.alloc(0),
      size: Number(request.headers['upload-length']),
      folder: metadata.folder ?? null,
      order: metadata.order,
    })
    wanted.set(item.id, item.size)
    item.bytes = Buffer.concat([item.bytes, await readBody(request, weather)])
    response.writeHead(201, { Location: `/v0/upload/${item.id}`, 'Upload-Offset': item.bytes.length }).end()
    return
  }
  const item = id === undefined ? undefined : state.items.get(id)
  if (!item) {
    response
      .writeHead(404, { 'Content-Type': 'application/json' })
      .end('{"message":"There is no such upload.","code":"not_found"}')
    return
  }
  if (request.method === 'HEAD') {
    response
      .writeHead(200, { 'Upload-Offset': item.bytes.length, 'Upload-Length': item.size, 'Cache-Control': 'no-store' })
      .end()
    return
  }
  if (request.method === 'GET') {
    const whole = Math.floor(item.bytes.length / 2 ** 20)
    const hashes = Array.from({ length: whole }, (_, index) =>
      createHash('sha256')
        .update(item.bytes.subarray(index * 2 ** 20, (index + 1) * 2 ** 20))
        .digest('hex'),
    )
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ chunkSize: 2 ** 20, received: item.bytes.length, hashes }))
    return
  }
  if (request.method === 'DELETE') {
    state.items.delete(item.id)
    response.writeHead(204).end()
    return
  }
  if (weather.refuse) {
    const { status, code, message, retryAfter, times, next } = weather.refuse
    if (times !== undefined) weather.refuse = times > 1 ? { ...weather.refuse, times: times - 1 } : next
    request.resume()
    response.writeHead(status, {
      'Content-Type': 'application/json',
      ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
    })
    response.end(JSON.stringify({ message, code }))
    return
  }
  if (Number(request.headers['upload-offset']) !== item.bytes.length) {
    request.resume()
    response
      .writeHead(409, { 'Content-Type': 'application/json' })
      .end('{"message":"Another offset.","code":"wrong_offset"}')
    return
  }
  const whole = wholes.get(item) ?? Buffer.concat([item.bytes], item.size)
  wholes.set(item, whole)
  const body = await readBody(request, weather, (part) => {
    const end = item.bytes.length + part.copy(whole, item.bytes.length)
    item.bytes = whole.subarray(0, end)
  })
  weather.largest = Math.max(weather.largest, body.length)
  response.writeHead(204, { 'Upload-Offset': item.bytes.length }).end()
}

async function readBody(
  request: IncomingMessage,
  weather: UploadWeather,
  keep?: (part: Buffer) => void,
): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  const cut = keep ? weather.cuts[0] : undefined
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue
    parts.push(part)
    length += part.length
    weather.taken += part.length
    keep?.(part)
    if (cut !== undefined && length >= cut) {
      weather.cuts.shift()
      request.socket.destroy()
      return Buffer.concat(parts)
    }
  }
  return Buffer.concat(parts)
}

function readMetadata(header: string | string[] | undefined): Record<string, string> {
  const text = Array.isArray(header) ? header.join() : (header ?? '')
  return Object.fromEntries(
    text
      .split(',')
      .filter(Boolean)
      .map((pair) => {
        const [key = '', value = ''] = pair.trim().split(' ')
        return [key, Buffer.from(value, 'base64').toString()]
      }),
  )
}

function targetOf(name: string | undefined): Target {
  return name === 'Dogecoin' || name === 'Bitcoin' || name === 'IPFS' ? name : 'Nativecoin'
}
