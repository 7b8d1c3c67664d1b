import { MAX_DECODED_BYTES } from '../../reader/brotli/decode-content.ts'
import { type IndexSource, readIndexed } from '../../reader/chain/read-index.ts'
import { providePart } from '../provide-part.ts'
import type { Shower } from '../show/part.ts'

/**
 * The content of a single txid: if its data is an index (docs/formats.md, "An index transaction") the content that the
 * index names, else the data itself. The media type in an index is not verified, so the element's own attributes decide
 * how it is shown.
 * @throws {ReaderError} `too_large`, and as `read`
 */
export type IndexPart = (
  data: Uint8Array<ArrayBuffer>,
  read: IndexSource['read'],
  sha256: IndexSource['sha256'],
  decoder: Pick<Shower, 'decode' | 'decodeBrotli'>,
) => Promise<Uint8Array<ArrayBuffer>>

export const part: IndexPart = async (data, read, sha256, { decode, decodeBrotli }) => {
  const indexed = await readIndexed(data, { read, sha256, decode: decodeBrotli, maxBytes: MAX_DECODED_BYTES })
  return indexed?.bytes ?? (await decode(data))
}

providePart(part)
