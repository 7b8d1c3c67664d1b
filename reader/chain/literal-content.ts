import { concatBytes } from '../../protocol/bytes.ts'
import { readLiteralStart } from '../../protocol/literal-start.ts'
import { readAhead } from '../read-ahead.ts'
import { ReaderError } from '../reader-error.ts'

/** The data of each of these transactions, hashed to its txid. */
export type ReadData = (txids: readonly string[]) => Promise<Uint8Array[]>

/** Content of which ranges can be read alone. */
export interface LiteralContent {
  /** Bytes of the whole. */
  size: number
  /** The bytes from `start` to `end`, both included and within the content, a few transactions at a time. */
  read(range: { start: number; end: number }, readData: ReadData): AsyncGenerator<Uint8Array>
}

/** With smaller transactions a range would be many requests for little. */
const LEAST_DATA_BYTES = 4096
/** Fewer are read whole as fast. */
const LEAST_TRANSACTIONS = 8
/** Data bytes of one request, and requests at a time. */
const BATCH_BYTES = 512 * 1024
const AHEAD = 2
/** The last byte of the stream: an empty last meta-block (RFC 7932, 9.2). */
const LAST_EMPTY = 0x03

/**
 * Content that is stored as one uncompressed meta-block of Brotli, cut into transactions of the same length (docs/formats.md, "A
 * range of content"): its first and its last transaction say where each byte is. `undefined` for other content, which has to be
 * read whole. @throws {ReaderError}
 */
export async function openLiteralContent(
  txids: readonly string[],
  readData: ReadData,
): Promise<LiteralContent | undefined> {
  const count = txids.length
  if (count < LEAST_TRANSACTIONS) return undefined
  const [first, last] = await readData([txids[0] ?? '', txids[count - 1] ?? ''])
  const start = first && readLiteralStart(first)
  if (!start || !last || first.length < LEAST_DATA_BYTES) return undefined
  const { header, length: size } = start
  const step = first.length
  const lastLength = last.length
  const isWhole = header + size + 1 === (count - 1) * step + lastLength
  if (!isWhole || lastLength > step || last.at(-1) !== LAST_EMPTY) return undefined
  return { size, read: (range, readMore) => readLiteral({ txids, header, step, lastLength }, range, readMore) }
}

interface Layout {
  txids: readonly string[]
  /** Bytes before the content. */
  header: number
  /** Data bytes of each transaction but the last one. */
  step: number
  lastLength: number
}

async function* readLiteral(
  { txids, header, step, lastLength }: Layout,
  { start, end }: { start: number; end: number },
  readData: ReadData,
): AsyncGenerator<Uint8Array> {
  const readBatch = async ({ from, to }: Batch): Promise<Uint8Array> => {
    const parts = await readData(txids.slice(from, to))
    const wrong = parts.findIndex(({ length }, at) => length !== (from + at < txids.length - 1 ? step : lastLength))
    if (wrong < 0) return concatBytes(parts)
    const message = `Transaction ${txids[from + wrong]} has another length than the first one, so no place in the content is known.`
    throw new ReaderError('not_verified', message)
  }
  const [begin, stop] = [header + start, header + end + 1]
  let at = Math.floor(begin / step) * step
  for await (const bytes of readAhead(batchesOf(at / step, Math.ceil(stop / step), step), AHEAD, readBatch)) {
    yield bytes.subarray(Math.max(0, begin - at), Math.max(0, stop - at))
    at += bytes.length
  }
}

/** Indexes of transactions. */
interface Batch {
  from: number
  to: number
}

/** All from `from` on and before `to`, in groups of about {@link BATCH_BYTES}. */
function* batchesOf(from: number, to: number, step: number): Generator<Batch> {
  const most = Math.max(1, Math.floor(BATCH_BYTES / step))
  for (let at = from; at < to; at += most) yield { from: at, to: Math.min(to, at + most) }
}
