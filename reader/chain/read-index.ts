import { toHex } from '../../protocol/bytes.ts'
import { decodeContentIndex } from '../../protocol/content-index.ts'
import { isEmptyFile } from '../../protocol/empty-file.ts'
import type { DecodeBrotli } from '../brotli/decode-content.ts'
import { ReaderError } from '../reader-error.ts'
import type { Sha256 } from './verify-transaction.ts'

/** Content that an index names, and its media type as the index says it, not checked. */
export interface IndexedContent {
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

/** What the content of an index is read with. */
export interface IndexSource {
  /** What the transactions hold, each hashed to its txid, joined and not decoded. */
  read(txids: readonly string[]): Promise<Uint8Array<ArrayBuffer>>
  sha256: Sha256
  decode: DecodeBrotli
  /** The longest content, decoded. */
  maxBytes: number
}

/**
 * The content that the data of one transaction names, asked for alone, where it is an index (docs/formats.md): every part is
 * hashed to its txid, and what they hold to what the index says. Nothing for another transaction, or an index that is wrong.
 * @throws {ReaderError} `too_large` where it says more than `maxBytes`, and what `read` throws: `not_found` for a missing part.
 */
export async function readIndexed(
  data: Uint8Array,
  { read, sha256, decode, maxBytes }: IndexSource,
): Promise<IndexedContent | undefined> {
  const index = decodeContentIndex(data)
  if (!index) return undefined
  const { type, size, encoding, parts } = index
  if (size > maxBytes) {
    throw new ReaderError('too_large', `The index names content of ${size} bytes; the limit is ${maxBytes}.`)
  }
  const stored = await read(parts)
  const bytes = encoding === 'br' ? await decodeAll(stored, decode, size) : stored
  if (bytes?.length !== size) return undefined
  return toHex(await sha256(bytes)) === index.sha256 ? { type, bytes } : undefined
}

async function decodeAll(stored: Uint8Array<ArrayBuffer>, decode: DecodeBrotli, size: number) {
  if (isEmptyFile(stored)) return new Uint8Array(0)
  const decoded = size > 0 ? await decode(stored, size) : undefined
  return decoded === 'too large' ? undefined : decoded
}
