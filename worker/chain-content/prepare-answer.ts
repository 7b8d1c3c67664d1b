import { AppError } from '../http/errors.ts'
import { serverTiming } from '../http/server-timing.ts'
import { decodeStored } from './brotli.ts'
import type { ContentRecord } from './content-record.ts'

/** What a list of txids can be answered as: POST /v0/blob, /v0/web, /v0/tx and GET /v0/chunk. */
export type AnswerForm = 'blob' | 'web' | 'tx' | 'chunk'

/** A whole answer, ready to be sent any number of times. */
export interface PreparedAnswer {
  body: Uint8Array
  headers: Record<string, string>
}

/** Whatever a txid list or a CID names never changes (contract, section 1). */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

/** The two digits of each byte, as they lie in memory. */
const DIGITS = new Uint16Array(
  Uint8Array.from({ length: 512 }, (_, index) => '0123456789abcdef'.charCodeAt((index >> (index & 1 ? 1 : 5)) & 15))
    .buffer,
)

/** Content of people on the API host never acts with its origin, whatever its media type. */
export const SANDBOX = 'sandbox allow-scripts allow-forms allow-popups'

/**
 * The answer that a record gives in one form. `name` is the content's own name, from which the entity tag comes;
 * every form and encoding has its own tag.
 * @throws {AppError} 422 where a page decodes to more than `maxDecodedBytes`.
 */
export function prepareAnswer(
  form: AnswerForm,
  record: ContentRecord,
  options: { name: string; brotli: boolean; maxDecodedBytes: number },
): PreparedAnswer {
  const tag = entityTag(options.name)
  switch (form) {
    case 'blob':
      return answer(hexBody('', record.bytes, ''), 'text/plain', `"${tag}.hex"`)
    case 'chunk':
      return answer(hexBody('{"hex":"', record.bytes, '"}'), 'application/json', `"${tag}.json"`)
    case 'tx':
      return answer(record.bytes, 'application/octet-stream', `"${tag}.tx"`)
    case 'web': {
      const { body, encoded } = encodeFor(record, options.brotli, options.maxDecodedBytes)
      const { headers } = answer(body, 'text/html; charset=utf-8', `"${tag}${encoded ? '.br' : ''}"`)
      const coding = encoded ? { 'Content-Encoding': 'br' } : {}
      return { body, headers: { ...headers, ...coding, Vary: 'Accept-Encoding' } }
    }
  }
}

/**
 * Stored content as a client takes it: stored Brotli as it is where it may be, decoded otherwise.
 * @throws {AppError} 422 when it decodes to more than `maxDecodedBytes`.
 */
export function encodeFor(
  record: ContentRecord,
  brotli: boolean,
  maxDecodedBytes: number,
): { body: Uint8Array; encoded: boolean } {
  if (record.encoding === 'identity') return { body: record.bytes, encoded: false }
  if (record.encoding === 'br' && brotli) return { body: record.bytes, encoded: true }
  const decoded = decodeStored(record.bytes, maxDecodedBytes)
  if (decoded.encoding === 'br') return { body: decoded.decoded, encoded: false }
  throw new AppError(422, 'content_too_large', 'The content decodes to more than this service serves.')
}

/** An entity tag's text for a content's name: `<chain>/<64 hex digits>` shortened to 128 bits. */
export function entityTag(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).slice(0, 32)
}

/** 404 of retrieval: no body, and not kept, for the transaction may arrive in a second. */
export function nothingFound(): Response {
  return new Response(null, {
    status: 404,
    headers: { 'Cache-Control': 'no-store', 'Server-Timing': serverTiming('miss', 0) },
  })
}

/** Hex digits between two texts of even length. */
function hexBody(before: string, bytes: Uint8Array, after: string): Uint8Array {
  const body = new Uint8Array(before.length + 2 * bytes.length + after.length)
  const encoder = new TextEncoder()
  encoder.encodeInto(before, body)
  const pairs = new Uint16Array(body.buffer, before.length, bytes.length)
  for (let index = 0; index < bytes.length; index++) pairs[index] = DIGITS[bytes[index] ?? 0] ?? 0
  encoder.encodeInto(after, body.subarray(before.length + 2 * bytes.length))
  return body
}

function answer(body: Uint8Array, contentType: string, etag: string): PreparedAnswer {
  return {
    body,
    headers: {
      'Content-Type': contentType,
      ETag: etag,
      'Cache-Control': IMMUTABLE,
      'Content-Security-Policy': SANDBOX,
    },
  }
}
