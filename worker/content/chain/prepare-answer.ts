import type { TakeMemory } from '../../platform/flow/memory-budget.ts'
import { BYTES_TYPE, HEX_TYPE, HTML_TYPE, JSON_TYPE } from '../../platform/http/media-types.ts'
import { IMMUTABLE_CONTENT, NO_STORE, SANDBOX } from '../../platform/http/policies.ts'
import type { Representation, SizedBody } from '../../platform/http/respond.ts'
import { serverTiming } from '../../platform/http/server-timing.ts'
import { type ContentRecord, typeOfContent } from './content-record.ts'
import { countedBody } from './counted-body.ts'
import { type DecodingSource, openDecoded } from './decoded-content.ts'
import { hexBody } from './hex-body.ts'

/** What a list of txids can be answered as: POST /v0/blob, /v0/web, /v0/tx and GET /v0/chunk. */
export type AnswerForm = 'blob' | 'web' | 'tx' | 'chunk'

/** What a list of txids is answered with. */
export type PreparedAnswer = Representation & { body: Uint8Array | SizedBody }

/**
 * The answer of a record in one form. `name` is the content's name, from which the entity tag is made; each form and encoding
 * has its own tag. `brotli`: the client accepts it; `partial`: it requests a range.
 * @throws {AppError} 422 if a page decodes to more than is served, 503.
 */
export async function prepareAnswer(
  form: AnswerForm,
  record: ContentRecord,
  options: { name: string; brotli: boolean; partial: boolean; source: DecodingSource },
): Promise<PreparedAnswer> {
  const tag = entityTag(options.name)
  const { take } = options.source
  switch (form) {
    case 'blob':
      return answer(counted(hexBody('', record.body, ''), take), HEX_TYPE, `"${tag}.hex"`)
    case 'chunk':
      return answer(counted(hexBody('{"hex":"', record.body, '"}'), take), JSON_TYPE, `"${tag}.json"`)
    case 'tx':
      return answer(counted(record.body, take), BYTES_TYPE, `"${tag}.tx"`)
    case 'web': {
      const { body, encoded, ranges } = await encodeFor(record, options.name, options)
      const page = answer(body, typeOfContent(HTML_TYPE, record.form), `"${tag}${encoded ? '.br' : ''}"`)
      if (encoded) page.headers.set('Content-Encoding', 'br')
      page.headers.set('Vary', 'Accept-Encoding')
      return { ...page, ranges }
    }
  }
}

/**
 * Stored content in an encoding that the client accepts: stored Brotli unchanged if possible, else decoded. `ranges` says
 * whether a range of it can be requested.
 * @throws {AppError} 422 if it decodes to more than is served, 503.
 */
export async function encodeFor(
  record: ContentRecord,
  list: string,
  { brotli, partial, source }: { brotli: boolean; partial: boolean; source: DecodingSource },
): Promise<{ body: Uint8Array | SizedBody; encoded: boolean; ranges: boolean }> {
  const { form } = record
  const encoded = form.encoding === 'br' && brotli
  if (encoded || form.encoding === 'identity') return { body: counted(record.body, source.take), encoded, ranges: true }
  return { ...(await openDecoded(record, list, partial, source)), encoded: false }
}

/** An entity tag's text for a content's name: `<chain>/<64 hex digits>` shortened to 128 bits. */
export function entityTag(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).slice(0, 32)
}

/** 404 of retrieval: no body, and not stored, for the transaction may arrive in a second. */
export function noSuchTransaction(): Response {
  return new Response(null, {
    status: 404,
    headers: { 'Cache-Control': NO_STORE, 'Server-Timing': serverTiming('miss') },
  })
}

function counted(body: Uint8Array | SizedBody, take: TakeMemory): Uint8Array | SizedBody {
  return body instanceof Uint8Array ? body : countedBody(body, take)
}

function answer(body: Uint8Array | SizedBody, contentType: string, etag: string): PreparedAnswer {
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': IMMUTABLE_CONTENT,
    'Content-Security-Policy': SANDBOX,
  }
  return { status: 200, headers: new Headers(headers), etag, body }
}
