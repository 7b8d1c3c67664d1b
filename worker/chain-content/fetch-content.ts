import PQueue from 'p-queue'
import { opReturnData } from '../../protocol/op-return.ts'
import type { StrippedTransaction } from '../../protocol/transaction.ts'
import { batchSize, readTransactions } from '../chain/read-transactions.ts'
import { now } from '../clock.ts'
import type { ChainConfig } from '../config/config.ts'
import { AppError } from '../http/errors.ts'

/** Batches on their way at once: while one is read and hashed, the node makes the next and has others to go on with. */
export const BATCHES_AT_ONCE = 4
/** Raw transactions may be this much larger than the content they carry. */
const RAW_FACTOR = 4

/** Verified transactions and the content they hold, in parts, in the order asked for. */
export interface FetchedContent {
  /** Transactions without witness. */
  transactions: Uint8Array[]
  content: Uint8Array[]
  /** Milliseconds in which at least one request to the node was out. */
  rpcMs: number
}

/**
 * Fetches a list of transactions from the node, every one hashed against its txid, and takes the content out;
 * `undefined` when one does not exist or gives no data.
 * @throws {AppError} 422 `content_too_large`, fetching stopped; 502, 504, 503 when it could not be learned.
 */
export async function fetchContent(
  chain: ChainConfig,
  txids: readonly string[],
  maxContentBytes: number,
): Promise<FetchedContent | undefined> {
  const unique = [...new Set(txids)]
  const size = batchSize(chain)
  const batches = Array.from({ length: Math.ceil(unique.length / size) }, (_, index) =>
    unique.slice(index * size, (index + 1) * size),
  )
  const found = new Map<string, { transaction: Uint8Array; data: Uint8Array[] }>()
  const budget = { content: maxContentBytes, raw: RAW_FACTOR * maxContentBytes }
  let missing = false
  let rpcMs = 0
  const readBatch = async (batch: string[]): Promise<void> => {
    if (missing) return
    const started = now()
    const transactions = await readTransactions(chain.rpc, batch)
    rpcMs += now() - started
    for (const transaction of transactions) {
      const data = transaction && opReturnData(transaction.scripts)
      if (!data) missing = true
      else found.set(transaction.txid, take(transaction, data, budget))
    }
  }
  const reading = new PQueue({ concurrency: BATCHES_AT_ONCE })
  await reading.addAll(batches.map((batch) => () => readBatch(batch))).finally(() => reading.clear())
  if (missing) return undefined

  const repeated = txids.length > unique.length
  const all = txids.map((txid) => found.get(txid)).filter((entry) => entry !== undefined)
  if (repeated) refuseOversize(all, maxContentBytes)
  return {
    transactions: all.map(({ transaction }) => transaction),
    content: all.flatMap(({ data }) => data),
    rpcMs: Math.round(rpcMs / Math.min(BATCHES_AT_ONCE, batches.length)),
  }
}

function take(
  { bytes }: StrippedTransaction,
  data: Uint8Array[],
  budget: { content: number; raw: number },
): { transaction: Uint8Array; data: Uint8Array[] } {
  for (const push of data) budget.content -= push.length
  budget.raw -= bytes.length
  if (budget.content < 0 || budget.raw < 0) throw tooLarge()
  return { transaction: bytes, data }
}

/** The same txid may stand in the list many times: its data is fetched once and counts each time. */
function refuseOversize(
  all: readonly { transaction: Uint8Array; data: Uint8Array[] }[],
  maxContentBytes: number,
): void {
  let content = 0
  let raw = 0
  for (const { transaction, data } of all) {
    for (const push of data) content += push.length
    raw += transaction.length
  }
  if (content > maxContentBytes || raw > RAW_FACTOR * maxContentBytes) throw tooLarge()
}

function tooLarge(): AppError {
  return new AppError(422, 'content_too_large', 'The content is larger than this service serves.')
}
