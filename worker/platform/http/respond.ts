import { type ByteRange, contentRange, parseRange } from '../../../contract/byte-range.ts'
import { JSON_TYPE } from './media-types.ts'
import { NO_STORE } from './policies.ts'
import { streamBody } from './stream-body.ts'

/** A representation, which an answer sends whole, in part, or not at all (RFC 9110, 3.2). */
export interface Representation {
  status: 200 | 404 | 410 | 451
  /** All fields but `ETag`, `Content-Length` and those about ranges. */
  headers: Headers
  etag: string
  /** Tags of other representations of this content, which a conditional request may have too. */
  otherEtags?: readonly string[]
  body: Uint8Array | SizedBody | StreamBody
  /** The bytes of the body again, while a cache has them that counts them. */
  again?: () => Uint8Array | undefined
  /** Whether ranges can be requested; of a stream, and of an encoded body, they cannot. */
  ranges?: boolean
}

/** A body of known size, of which ranges can be read. */
export interface SizedBody {
  kind: 'file'
  size: number
  /** The bytes of a range. A chunk of `HELD_BYTES` or more may be overwritten or freed when the next one is requested. */
  read: (range: ByteRange) => AsyncGenerator<Uint8Array>
  /** A copy of a short range, where the body is in memory: that is sent without a stream. */
  copy?: ((range: ByteRange) => Uint8Array | undefined) | undefined
}

/** A body of unknown length, without ranges. */
interface StreamBody {
  kind: 'stream'
  read: () => AsyncGenerator<Uint8Array>
}

/** A {@link Representation} with all header fields, which can be sent any number of times. */
export interface PreparedRepresentation<Body = Representation['body']> {
  /** The init of a `Response`; it must not be changed. */
  init: { status: number; headers: Headers; encodeBody: 'automatic' | 'manual' }
  /** The headers of its 304, where they were made before: the half of what one costs. */
  notModified?: Headers
  tags: readonly string[]
  ranges: boolean
  body: Body
}

/** Representation metadata (RFC 9110, 8.3 to 8.6; RFC 6266), which a 304 and a 416 do not have. */
const OF_CONTENT = ['Content-Type', 'Content-Encoding', 'Content-Language', 'Content-Length', 'Content-Disposition']

/** The representation with the header fields that follow from its body and tag. */
export function prepareRepresentation<Body extends Representation['body']>(
  representation: Representation & { body: Body },
): PreparedRepresentation<Body> {
  const { status, etag, otherEtags = [], body, ranges = true } = representation
  const headers = new Headers(representation.headers)
  headers.set('ETag', etag)
  const size = sizeOf(body)
  if (size !== undefined) headers.set('Content-Length', String(size))
  const partial = ranges && size !== undefined && status === 200
  if (partial) headers.set('Accept-Ranges', 'bytes')
  else if (size === undefined) headers.set('Accept-Ranges', 'none')
  const encoded = headers.has('Content-Encoding')
  return {
    // An encoded body must not be encoded a second time.
    init: { status, headers, encodeBody: encoded ? 'manual' : 'automatic' },
    tags: [etag, ...otherEtags],
    ranges: partial && !encoded,
    body,
  }
}

/**
 * The answer with a representation. Only this code handles `If-None-Match`, `Range` and `If-Range` (RFC 9110, 13 and
 * 14), and HEAD; a POST is always answered with the whole. The first bytes are read before the status is sent; a later
 * failure breaks the connection, so that a cut body never looks complete.
 * @throws what reading the first bytes throws.
 */
export function respond(request: Request, representation: Representation): Response | Promise<Response> {
  return respondPrepared(request, prepareRepresentation(representation))
}

export function respondPrepared(request: Request, answer: PreparedRepresentation<Uint8Array>): Response
export function respondPrepared(request: Request, answer: PreparedRepresentation): Response | Promise<Response>
/** {@link respond} with a prepared representation. */
export function respondPrepared(request: Request, answer: PreparedRepresentation): Response | Promise<Response> {
  const { init, body } = answer
  const { method } = request
  if (method === 'POST') return send(init, body)
  if (init.status === 200) {
    const known = request.headers.get('If-None-Match')
    if (known !== null && answer.tags.some((tag) => matchesEtag(known, tag))) {
      return new Response(null, { status: 304, headers: answer.notModified ?? headersOfNotModified(init.headers) })
    }
  }
  const size = answer.ranges ? sizeOf(body) : undefined
  const range = size === undefined ? undefined : chosenRange(request, answer.tags[0] ?? '', size)
  if (size === undefined || range === undefined) return method === 'HEAD' ? new Response(null, init) : send(init, body)
  return range === 'unsatisfiable' ? notSatisfiable(method, init.headers, size) : sendPart(method, answer, range, size)
}

function sizeOf(body: Representation['body']): number | undefined {
  if (body instanceof Uint8Array) return body.byteLength
  return body.kind === 'file' ? body.size : undefined
}

function chosenRange(request: Request, etag: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const range = request.headers.get('Range')
  if (range === null || !rangeStillHolds(request.headers.get('If-Range'), etag)) return undefined
  return parseRange(range, size)
}

function send(init: PreparedRepresentation['init'], body: Representation['body']): Response | Promise<Response> {
  if (body instanceof Uint8Array) return new Response(body, init)
  if (body.kind === 'stream') return streamBody(body.read(), new TransformStream(), init)
  return streamBody(body.read({ start: 0, end: body.size - 1 }), new FixedLengthStream(body.size), init)
}

function sendPart(
  method: string,
  { init, body }: PreparedRepresentation,
  range: ByteRange,
  size: number,
): Response | Promise<Response> {
  const length = range.end - range.start + 1
  const headers = new Headers(init.headers)
  headers.set('Content-Range', contentRange(range, size))
  headers.set('Content-Length', String(length))
  const part = { ...init, status: 206, headers }
  if (method === 'HEAD') return new Response(null, part)
  if (body instanceof Uint8Array) return new Response(body.subarray(range.start, range.end + 1), part)
  const copy = body.kind === 'file' ? body.copy?.(range) : undefined
  if (copy) return new Response(copy, part)
  return streamBody(body.read(range), new FixedLengthStream(length), part)
}

/**
 * The header fields of a 304 (RFC 9110, 15.4.5): those of the 200, among them `ETag`, `Vary`, `Cache-Control`,
 * `Content-Location` and `Date`, without the metadata of the representation, which the client has.
 */
export function headersOfNotModified(described: Headers): Headers {
  const headers = new Headers(described)
  for (const name of OF_CONTENT) headers.delete(name)
  return headers
}

/** 416 for a range outside of a body of `size` bytes (RFC 9110, 15.5.17). */
function notSatisfiable(method: string, described: Headers, size: number): Response {
  const message = `The range is outside the content, which has ${size} bytes.`
  const headers = new Headers(described)
  for (const name of [...OF_CONTENT, 'ETag']) headers.delete(name)
  headers.set('Content-Range', contentRange(undefined, size))
  headers.set('Content-Type', JSON_TYPE)
  headers.set('Cache-Control', NO_STORE)
  const body = method === 'HEAD' ? null : JSON.stringify({ message, code: 'range_not_satisfiable' })
  return new Response(body, { status: 416, headers })
}

/** Whether `If-None-Match` matches this entity tag (RFC 9110, 13.1.2: weak comparison, lists, `*`). */
export function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  // A tag may contain commas, so the list is matched tag by tag and not split.
  for (const [, tag] of ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === opaque) return true
  return false
}

/**
 * Whether `If-Range` lets a `Range` apply (RFC 9110, 13.1.5): only with the same strong tag. A date never matches,
 * because nothing here has a modification date.
 */
export function rangeStillHolds(ifRange: string | null | undefined, etag: string): boolean {
  return !ifRange || (ifRange.trim() === etag && !etag.startsWith('W/'))
}
