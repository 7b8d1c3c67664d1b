import { Readable } from 'node:stream'
import { constants, createBrotliCompress } from 'node:zlib'
import { concatBytes } from '../../../../protocol/bytes.ts'
import { returnToEventLoop } from '../../../platform/flow/budget.ts'
import { acceptsBrotli } from '../../../platform/http/negotiate-encoding.ts'
import type { Representation, SizedBody } from '../../../platform/http/respond.ts'

/** The most that is compressed, in bytes: beyond it a page is not worth a quarter of a second of CPU. */
const MAX_ENCODED_BYTES = 8 * 1024 * 1024

/** Compressed before others have their turn, in bytes: some 4 ms. */
const PORTION = 128 * 1024

/** Fast enough not to hold a reader up: some 30 ms a MiB. */
const QUALITY = 5

/**
 * HTML, in Brotli if the client accepts that. Ranges are always of the uncompressed page. The compressed form has its own
 * entity tag, because its bytes differ; a client with the uncompressed page can still use it.
 */
export async function encodeHtml(request: Request, page: Representation): Promise<Representation> {
  const { body, etag, headers, otherEtags = [] } = page
  headers.append('Vary', 'Accept-Encoding')
  const brotli = acceptsBrotli(request) && !request.headers.has('Range')
  if (!brotli || (!(body instanceof Uint8Array) && (body.kind === 'stream' || body.size > MAX_ENCODED_BYTES)))
    return page
  const encoded = body instanceof Uint8Array ? await encodeWhole(body) : encodeStream(body)
  if (!encoded) return page
  headers.set('Content-Encoding', 'br')
  return { ...page, etag: etag.replace(/"$/, '.br"'), otherEtags: [etag, ...otherEtags], body: encoded }
}

/** `undefined` for what does not become smaller. */
async function encodeWhole(page: Uint8Array): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  for await (const part of compress([page], page.byteLength)) parts.push(part)
  const encoded = concatBytes(parts)
  return encoded.byteLength < page.byteLength ? encoded : undefined
}

function encodeStream(page: SizedBody): Representation['body'] {
  return { kind: 'stream', read: () => compress(page.read({ start: 0, end: page.size - 1 }), page.size) }
}

type Parts = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** `size`: bytes of all parts. */
async function* compress(parts: Parts, size: number): AsyncGenerator<Uint8Array> {
  const source = Readable.from(inPortions(parts))
  const encoder = createBrotliCompress({ params: parameters(size) })
  // A page that breaks off must break off in its encoded form too.
  source.on('error', (error) => encoder.destroy(error))
  encoder.on('close', () => source.destroy())
  for await (const part of source.pipe(encoder)) if (part instanceof Uint8Array) yield part
}

async function* inPortions(parts: Parts): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    for (let start = 0; start < part.byteLength; start += PORTION) {
      yield part.subarray(start, start + PORTION)
      await returnToEventLoop()
    }
  }
}

function parameters(size: number): Record<number, number> {
  return {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  }
}
