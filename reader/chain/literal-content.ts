import { concatBytes } from '../../protocol/bytes.ts'
import {
  contentOf,
  countOf,
  indexOf,
  LEAST_STEP,
  LEAST_TRANSACTIONS,
  type LiteralLayout,
  partOf,
  readLayout,
} from '../../protocol/literal-parts.ts'
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

/** Data bytes of one request, and requests at a time. */
const BATCH_BYTES = 512 * 1024
const AHEAD = 2

/**
 * Content that is stored uncompressed in transactions of the same length (docs/formats.md, "A range of content"): its first
 * transaction says where each byte is, or where it is stored as one meta-block, the first and the last one. `undefined` for other
 * content, which has to be read whole. @throws {ReaderError}
 */
export async function openLiteralContent(
  txids: readonly string[],
  readData: ReadData,
): Promise<LiteralContent | undefined> {
  const count = txids.length
  const [txid] = txids
  if (txid === undefined || count < LEAST_TRANSACTIONS) return undefined
  const [first] = await readData([txid])
  const layout = first && (readLayout(first) ?? (await readOneBlock(first, txids, readData)))
  if (!layout || countOf(layout) !== count || first?.length !== layout.step) return undefined
  return { size: layout.size, read: (range, readMore) => readLiteral(layout, txids, range, readMore) }
}

/** The layout of one meta-block in all transactions. */
async function readOneBlock(
  first: Uint8Array,
  txids: readonly string[],
  readData: ReadData,
): Promise<LiteralLayout | undefined> {
  const start = readLiteralStart(first)
  const step = first.length
  if (!start || step < LEAST_STEP) return undefined
  const layout = { size: start.length, step, first: start.header, next: 0 } as const
  if (countOf(layout) !== txids.length) return undefined
  const [last] = await readData(txids.slice(-1))
  return last && contentOf(layout, txids.length - 1, last) && layout
}

async function* readLiteral(
  layout: LiteralLayout,
  txids: readonly string[],
  { start, end }: { start: number; end: number },
  readData: ReadData,
): AsyncGenerator<Uint8Array> {
  const readBatch = async ({ from, to }: Batch): Promise<Uint8Array> => {
    const parts = await readData(txids.slice(from, to))
    return concatBytes(
      parts.map((data, at) => {
        const content = contentOf(layout, from + at, data)
        if (content) return content
        const message = `Transaction ${txids[from + at]} is not as the first one says, so no place in the content is known.`
        throw new ReaderError('not_verified', message)
      }),
    )
  }
  const from = indexOf(layout, start)
  let at = partOf(layout, from).start
  for await (const bytes of readAhead(batchesOf(from, indexOf(layout, end) + 1, layout.step), AHEAD, readBatch)) {
    yield bytes.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at))
    at += bytes.length
  }
}

/** Indexes of transactions. */
interface Batch {
  from: number
  to: number
}

/**
 * All from `from` on and before `to`, in groups: one transaction first, as a player waits for it, each next group of twice as many,
 * up to about {@link BATCH_BYTES}.
 */
function* batchesOf(from: number, to: number, step: number): Generator<Batch> {
  const most = Math.max(1, Math.floor(BATCH_BYTES / step))
  let count = 1
  for (let at = from; at < to; at += count, count = Math.min(2 * count, most))
    yield { from: at, to: Math.min(to, at + count) }
}
