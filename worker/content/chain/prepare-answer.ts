import { AppError } from '../../platform/http/errors.ts'
import { BYTES_TYPE, HEX_TYPE, HTML_TYPE, JSON_TYPE } from '../../platform/http/media-types.ts'
import { IMMUTABLE_CONTENT, NO_STORE, SANDBOX } from '../../platform/http/policies.ts'
import type { Representation, SizedBody } from '../../platform/http/respond.ts'
import { serverTiming } from '../../platform/http/server-timing.ts'
import { decodeStored } from './brotli.ts'
import type { ContentRecord } from './content-record.ts'

/** What a list of txids can be answered as: POST /v0/blob, /v0/web, /v0/tx and GET /v0/chunk. */
export type AnswerForm = 'blob' | 'web' | 'tx' | 'chunk'

/** The two digits of each byte, as they lie in memory. */
const DIGITS = new Uint16Array(
  Uint8Array.from({ length: 512 }, (_, index) => '0123456789abcdef'.charCodeAt((index >> (index & 1 ? 1 : 5)) & 15))
    .buffer,
)

/** Content up to here (bytes) becomes hex at once; more is made step by step, each where the one before was. */
const HEX_AT_ONCE = 2 << 20
const HEX_STEP = 256 << 10

/** What a list of txids is answered with. */
export type PreparedAnswer = Representation & { body: Uint8Array | SizedBody }

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
      return answer(hexBody('', record.bytes, ''), HEX_TYPE, `"${tag}.hex"`)
    case 'chunk':
      return answer(hexBody('{"hex":"', record.bytes, '"}'), JSON_TYPE, `"${tag}.json"`)
    case 'tx':
      return answer(record.bytes, BYTES_TYPE, `"${tag}.tx"`)
    case 'web': {
      const { body, encoded } = encodeFor(record, options.brotli, options.maxDecodedBytes)
      const page = answer(body, HTML_TYPE, `"${tag}${encoded ? '.br' : ''}"`)
      if (encoded) page.headers.set('Content-Encoding', 'br')
      page.headers.set('Vary', 'Accept-Encoding')
      return page
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
    headers: { 'Cache-Control': NO_STORE, 'Server-Timing': serverTiming('miss') },
  })
}

/** Hex digits between two texts of even length. */
function hexBody(before: string, bytes: Uint8Array, after: string): Uint8Array | SizedBody {
  if (bytes.length <= HEX_AT_ONCE) return joinHex(before, bytes, after)
  const encoder = new TextEncoder()
  const digits = { start: before.length, end: before.length + 2 * bytes.length }
  return {
    kind: 'file',
    size: digits.end + after.length,
    async *read({ start, end }) {
      if (start < digits.start) yield encoder.encode(before.slice(start, end + 1))
      let at = Math.max(start, digits.start)
      // Whoever reads has sent a step when the next is asked for.
      const step = new Uint16Array(HEX_STEP)
      while (at <= end && at < digits.end) {
        const from = (at - digits.start) >> 1
        const length = Math.min(HEX_STEP, bytes.length - from)
        writePairs(bytes, from, step.subarray(0, length))
        const skipped = (at - digits.start) & 1
        const made = Math.min(2 * length - skipped, end + 1 - at)
        yield new Uint8Array(step.buffer, skipped, made)
        at += made
      }
      if (end >= digits.end) yield encoder.encode(after.slice(at - digits.end, end + 1 - digits.end))
    },
  }
}

/** Fills `pairs` with the digits of as many bytes from `from` on. */
function writePairs(bytes: Uint8Array, from: number, pairs: Uint16Array): void {
  for (let index = 0; index < pairs.length; index++) pairs[index] = DIGITS[bytes[from + index] ?? 0] ?? 0
}

function joinHex(before: string, bytes: Uint8Array, after: string): Uint8Array {
  const body = new Uint8Array(before.length + 2 * bytes.length + after.length)
  const encoder = new TextEncoder()
  encoder.encodeInto(before, body)
  writePairs(bytes, 0, new Uint16Array(body.buffer, before.length, bytes.length))
  encoder.encodeInto(after, body.subarray(before.length + 2 * bytes.length))
  return body
}

function answer(body: Uint8Array | SizedBody, contentType: string, etag: string): PreparedAnswer {
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': IMMUTABLE_CONTENT,
    'Content-Security-Policy': SANDBOX,
  }
  return { status: 200, headers: new Headers(headers), etag, body }
}
