import { toHex } from '../../protocol/bytes.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { decodeContentIndex } from '../../protocol/content-index.ts'
import { isEmptyFile } from '../../protocol/empty-file.ts'
import type { DecodeBrotli } from '../brotli/decode-content.ts'
import { ReaderError } from '../reader-error.ts'
import { type ChainReader, readStoredContent } from './read-chain-content.ts'

/** Content that an index names, and its media type as the index says it, not checked. */
export interface IndexedContent {
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * The content that the data of one transaction names, asked for alone, where it is an index (docs/formats.md): every part is
 * hashed to its txid, and what they hold to what the index says. Nothing where it is none, or says what is not so.
 * @throws {ReaderError} `not_found` where a part is missing, `too_large` where it says more than `maxBytes`.
 */
export async function readIndexed(
  reader: ChainReader,
  blockchain: Blockchain,
  data: Uint8Array,
  { decode, maxBytes }: { decode: DecodeBrotli; maxBytes: number },
): Promise<IndexedContent | undefined> {
  const index = decodeContentIndex(data)
  if (!index) return undefined
  const { type, size, sha256, encoding, parts } = index
  if (size > maxBytes) {
    throw new ReaderError('too_large', `The index names content of ${size} bytes, ${maxBytes} at most are taken.`)
  }
  const stored = await readStoredContent(reader, { blockchain, txids: parts })
  const bytes = encoding === 'br' ? await decodeAll(stored, decode, size) : stored
  if (bytes?.length !== size) return undefined
  return toHex(await reader.sha256(bytes)) === sha256 ? { type, bytes } : undefined
}

async function decodeAll(stored: Uint8Array<ArrayBuffer>, decode: DecodeBrotli, size: number) {
  if (isEmptyFile(stored)) return new Uint8Array(0)
  const decoded = size > 0 ? await decode(stored, size) : undefined
  return decoded === 'too large' ? undefined : decoded
}
