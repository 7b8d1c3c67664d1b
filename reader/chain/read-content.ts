import type { Blockchain } from '../../protocol/chains.ts'
import { type DecodeBrotli, decodeContent } from '../brotli/decode-content.ts'
import { type ChainReader, readStoredContent } from './read-chain-content.ts'
import { type IndexedContent, readIndexed } from './read-index.ts'

/** How stored bytes become content. */
export interface Decoding {
  decode: DecodeBrotli
  /** The longest content, decoded. */
  maxBytes: number
}

/** The content of a list of transactions; its type where an index says one, not checked. */
export type DecodedContent = Pick<IndexedContent, 'bytes'> & Partial<IndexedContent>

/**
 * The content of an ordered list of transactions, each hashed to its txid: decoded, and of one txid that is an index that of
 * its parts. @throws {ReaderError}
 */
export async function readDecodedContent(
  reader: ChainReader,
  source: { blockchain: Blockchain; txids: readonly string[] },
  { decode, maxBytes }: Decoding,
): Promise<DecodedContent> {
  const stored = await readStoredContent(reader, source)
  const read = (txids: readonly string[]) => readStoredContent(reader, { ...source, txids })
  const { sha256 } = reader
  const indexed = source.txids.length === 1 ? await readIndexed(stored, { read, sha256, decode, maxBytes }) : undefined
  return indexed ?? { bytes: await decodeContent(stored, decode, maxBytes) }
}
