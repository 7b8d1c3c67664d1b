import { type ByteRange, contentRange, parseRange } from '../../contract/byte-range.ts'
import type { ReaderErrorCode } from '../../reader/reader-error.ts'
import type { OpenContent } from './content.ts'

/** On every answer: it is no page, whatever it is, and no other type than it says. */
const GUARDS = { 'Content-Security-Policy': 'sandbox', 'X-Content-Type-Options': 'nosniff' }

/** The status of the answer for an error; others are 502. */
const STATUSES: Partial<Record<ReaderErrorCode, number>> = {
  invalid_source: 400,
  not_found: 404,
  not_a_file: 404,
  not_a_site: 404,
  too_large: 413,
  denied: 451,
  unsupported: 501,
  brotli_unavailable: 501,
  timeout: 504,
}

/** A sentence instead of content. */
export function refusal(status: number, sentence: string, headers: Record<string, string> = {}): Response {
  const type = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  return new Response(sentence, { status, headers: { ...GUARDS, ...type, ...headers } })
}

/** The answer for an error of reading. */
export function failure(code: ReaderErrorCode | undefined, message: string): Response {
  return refusal((code && STATUSES[code]) ?? 502, message)
}

/** What of content a request gets: all without a range; `undefined` where none of it is there (RFC 9110, 14.2). */
export function rangeOf(request: Headers, { size, etag }: OpenContent): { range?: ByteRange } | undefined {
  const condition = request.get('If-Range')
  const range = condition === null || condition === etag ? parseRange(request.get('Range'), size) : undefined
  if (range === 'unsatisfiable') return undefined
  return range ? { range } : {}
}

/** 416: the range is outside of the content. */
export function outside({ size }: OpenContent): Response {
  return refusal(416, `The content has ${size} bytes.`, { 'Content-Range': contentRange(undefined, size) })
}

/** 200 or 206 with a body. */
export function answer(
  { size, etag }: OpenContent,
  type: string,
  range: ByteRange | undefined,
  body: ReadableStream<Uint8Array> | null,
): Response {
  const length = range ? range.end - range.start + 1 : size
  const headers = new Headers({
    ...GUARDS,
    'Content-Type': type,
    'Content-Length': String(length),
    'Accept-Ranges': 'bytes',
    ETag: etag,
  })
  if (range) headers.set('Content-Range', contentRange(range, size))
  return new Response(body, { status: range ? 206 : 200, headers })
}
