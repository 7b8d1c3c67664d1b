import { matchesEtag, rangeStillHolds } from '../../http/etag.ts'
import { type ByteRange, contentRange, parseRange } from '../../http/parse-range.ts'
import { rangeNotSatisfiable } from '../../http/range-not-satisfiable.ts'

/** What a content path stands for, ready to be sent whole, in part, or not at all. */
export interface Representation {
  status: 200 | 404 | 410 | 451
  headers: Headers
  etag: string
  /** Tags of this content in other representations, which a conditional request may name as well. */
  otherEtags?: readonly string[]
  body: Uint8Array | FileBody | StreamBody
}

/** Bytes that can be read from anywhere. */
export interface FileBody {
  kind: 'file'
  size: number
  read: (range: ByteRange) => AsyncGenerator<Uint8Array>
}

/** Bytes that come as they are made: no length, no ranges. */
export interface StreamBody {
  kind: 'stream'
  read: () => AsyncGenerator<Uint8Array>
}

/** What is read before the status goes out: all of a small DAG, and no more than the first block of a file. */
const HELD_BYTES = 64 * 1024

/**
 * Answers a GET or HEAD with `If-None-Match`, `If-Range` and `Range` (RFC 9110). The first bytes are there before
 * the status goes out; what fails later breaks the connection, so that a cut body never looks whole.
 * @throws {AppError} whatever reading the first bytes throws.
 */
export function respond(request: Request, representation: Representation): Response | Promise<Response> {
  const { status, etag, body } = representation
  const headers = new Headers(representation.headers)
  headers.set('ETag', etag)
  if (status === 200) {
    const ifNoneMatch = request.headers.get('If-None-Match')
    const tags = [etag, ...(representation.otherEtags ?? [])]
    if (ifNoneMatch !== null && tags.some((tag) => matchesEtag(ifNoneMatch, tag))) return notModified(headers)
  }
  if (!(body instanceof Uint8Array) && body.kind === 'stream') {
    headers.set('Accept-Ranges', 'none')
    const init = encoded({ status, headers })
    return request.method === 'HEAD' ? new Response(null, init) : startStream(body.read(), new TransformStream(), init)
  }
  const size = body instanceof Uint8Array ? body.byteLength : body.size
  headers.set('Accept-Ranges', 'bytes')
  const range = status === 200 ? chosenRange(request, etag, size) : undefined
  if (range === 'unsatisfiable') return rangeNotSatisfiable(request, headers, size)
  if (range) headers.set('Content-Range', contentRange(range, size))
  const part = range ?? { start: 0, end: size - 1 }
  const length = part.end - part.start + 1
  headers.set('Content-Length', String(length))
  const init = encoded({ status: range ? 206 : status, headers })
  if (request.method === 'HEAD') return new Response(null, init)
  if (!(body instanceof Uint8Array)) return startStream(body.read(part), new FixedLengthStream(length), init)
  return new Response(range ? body.subarray(part.start, part.end + 1) : body, init)
}

/** What is encoded already must not be encoded a second time. */
function encoded(init: ResponseInit & { headers: Headers }): ResponseInit {
  return init.headers.has('Content-Encoding') ? { ...init, encodeBody: 'manual' } : init
}

function chosenRange(request: Request, etag: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (!rangeStillHolds(request.headers.get('If-Range'), etag)) return undefined
  return parseRange(request.headers.get('Range'), size)
}

function notModified(headers: Headers): Response {
  for (const name of ['Content-Type', 'Content-Length', 'Content-Disposition', 'Content-Encoding']) headers.delete(name)
  return new Response(null, { status: 304, headers })
}

/** Waits for the first bytes, so that their failure or denial is still an answer, then feeds the rest as it is read. */
async function startStream(
  bytes: AsyncGenerator<Uint8Array>,
  { readable, writable }: TransformStream<Uint8Array, Uint8Array>,
  init: ResponseInit,
): Promise<Response> {
  const first: Uint8Array[] = []
  for (let held = 0; held < HELD_BYTES; ) {
    const { value, done } = await bytes.next()
    if (done) break
    first.push(value)
    held += value.byteLength
  }
  const feed = async () => {
    const writer = writable.getWriter()
    // They reject when the reader leaves; the write that fails says the same.
    writer.closed.catch(() => {})
    writer.ready.catch(() => {})
    try {
      for (const part of first) await writer.write(part)
      for await (const part of bytes) await writer.write(part)
      await writer.close()
    } catch (error) {
      // The reader left, or a block could not be had: either way nobody may take this for the end.
      await bytes.return(undefined)
      await writer.abort(error).catch(() => {})
      console.warn('ipfs_stream_ended_early', error instanceof Error ? error.message : error)
    }
  }
  void feed()
  return new Response(readable, init)
}
