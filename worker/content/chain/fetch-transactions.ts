import type { StrippedTransaction } from '../../../protocol/transaction.ts'
import { readAhead } from '../../../reader/read-ahead.ts'
import { batchSize, readTransactions } from '../../chain/rpc/read-transactions.ts'
import type { ChainConfig } from '../../platform/config/config.ts'

/** Batches requested at once: while one is read and hashed, the node prepares the next. */
export const BATCHES_AT_ONCE = 4

type ReadBatch = (batch: readonly string[]) => ReturnType<typeof readTransactions>

/**
 * Whether all transactions exist. Reads them from the node, hashes each against its txid and passes them to `take` batch by
 * batch; the next request waits for its promise. Batches become smaller if transactions are larger than usual on the chain.
 * Ends with `false` at the first that does not exist.
 * @throws {AppError} 502, 504, 503 if no node could answer; what `take` throws.
 */
export async function fetchTransactions(
  chain: ChainConfig,
  txids: readonly string[],
  take: (transactions: StrippedTransaction[]) => Promise<void> | void,
  read: ReadBatch = (batch) => readTransactions(chain.rpc, batch),
): Promise<boolean> {
  const again: (readonly string[])[] = []
  let size = batchSize(chain)
  let next = 0
  function* batches(): Generator<readonly string[]> {
    for (;;) {
      const retried = again.shift()
      const batch = retried ?? txids.slice(next, next + size)
      if (batch.length === 0) return
      if (!retried) next += batch.length
      yield batch
    }
  }
  const readOne = async (batch: readonly string[]) => ({ batch, outcome: await read(batch) })
  do {
    for await (const { batch, outcome } of readAhead(batches(), BATCHES_AT_ONCE, readOne)) {
      if (outcome === 'large') {
        const half = Math.ceil(batch.length / 2)
        size = Math.min(size, half)
        again.push(batch.slice(0, half), batch.slice(half))
        continue
      }
      const transactions = outcome.filter((transaction) => transaction !== undefined)
      if (transactions.length < outcome.length) return false
      await take(transactions)
    }
  } while (again.length > 0)
  return true
}
