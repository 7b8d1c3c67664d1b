import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { acceptsEncoding, clientAcceptEncoding } from '../content/negotiate-encoding.ts'
import type { Representation } from './representation.ts'

const compress = promisify(brotliCompress)

/** Larger pages (bytes) go out as they are: compressing them would hold the reader up. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * HTML in Brotli for a client that takes it, as it is otherwise (the interface, 4.4). A range is of the page as it
 * is. The compressed form has a tag of its own, since it is other bytes.
 */
export async function encodeHtml(request: Request, page: Representation): Promise<Representation> {
  page.headers.append('Vary', 'Accept-Encoding')
  const takesBrotli = acceptsEncoding(clientAcceptEncoding(request), 'br') && !request.headers.has('Range')
  if (!takesBrotli || !(page.body instanceof Uint8Array) || page.body.byteLength > MAX_BYTES) return page
  const body = await compress(page.body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: page.body.byteLength,
    },
  })
  if (body.byteLength >= page.body.byteLength) return page
  page.headers.set('Content-Encoding', 'br')
  const etag = page.etag.replace(/"$/, '.br"')
  return { ...page, etag, body: new Uint8Array(body) }
}
