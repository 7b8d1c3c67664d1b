import type { StrippedTransaction } from '../../../protocol/transaction.ts'
import { readAhead } from '../../../reader/read-ahead.ts'
import { batchSize, readTransactions } from '../../chain/rpc/read-transactions.ts'
import type { ChainConfig } from '../../platform/config/config.ts'

/** Batches on their way at once: while one is read and hashed, the node makes the next and has others to go on with. */
export const BATCHES_AT_ONCE = 4

type ReadBatch = (batch: readonly string[]) => ReturnType<typeof readTransactions>

/**
 * Reads transactions from the node, every one hashed against its txid, and hands them to `take` batch by batch; what it
 * returns is waited for before more is asked. Batches become smaller where the answers are larger than the chain's usual
 * transactions. `true` when all are there, `false` at the first that does not exist.
 * @throws {AppError} 502, 504, 503 when it could not be learned; what `take` throws.
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
