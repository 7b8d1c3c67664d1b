import type { Blockchain } from '../../protocol/chains.ts'
import { readWhole } from '../read-whole.ts'
import { ReaderError } from '../reader-error.ts'
import { openLiteralContent } from './literal-content.ts'
import { type ChainReader, readTransactionData } from './read-chain-content.ts'
import { type Decoding, readDecodedContent } from './read-content.ts'

/**
 * The bytes `start` to `end` of content, both included, as far as it has them. Of what is stored uncompressed only the
 * transactions of these bytes are read, with the first and the last one; of other content all. @throws {ReaderError}
 */
export async function readContentRange(
  reader: ChainReader,
  source: { blockchain: Blockchain; txids: readonly string[] },
  { start, end }: { start: number; end: number },
  decoding: Decoding,
): Promise<Uint8Array<ArrayBuffer>> {
  if (![start, end].every(Number.isSafeInteger) || start < 0 || end < start)
    throw new ReaderError('invalid_source', 'A range has a start of 0 or more, and an end that is not before it.')
  const readData = (txids: readonly string[]) => readTransactionData(reader, { ...source, txids })
  const literal = await openLiteralContent(source.txids, readData)
  if (!literal) return (await readDecodedContent(reader, source, decoding)).bytes.slice(start, end + 1)
  const last = Math.min(end, literal.size - 1)
  return start > last ? new Uint8Array(0) : await readWhole(literal.read({ start, end: last }, readData))
}
