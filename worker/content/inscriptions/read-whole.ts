import type { Transaction } from '../../../protocol/transaction.ts'
import { inGroups } from '../../../reader/in-groups.ts'
import { readWholeTransactions } from '../../chain/rpc/read-transactions.ts'
import type { ChainConfig } from '../../platform/config/config.ts'
import { AppError } from '../../platform/http/errors.ts'

/** Transactions with witnesses that are asked of a node at once. */
const AT_ONCE = 25
/** The most of all that one request reads, in bytes: a block's worth, twice. */
const MAX_BYTES = 8 << 20

/**
 * Reads whole transactions from the nodes of a chain, for one request.
 * @throws {AppError} 422 for more than 8 MiB in all, 502, 503, 504
 */
export function wholeFrom(
  chain: Pick<ChainConfig, 'rpc'>,
): (txids: readonly string[]) => Promise<(Transaction | undefined)[]> {
  let left = MAX_BYTES
  const readGroup = async (txids: readonly string[]): Promise<(Transaction | undefined)[]> => {
    const found = await readWholeTransactions(chain.rpc, txids)
    if (found !== 'large') return found
    const half = Math.ceil(txids.length / 2)
    return [...(await readGroup(txids.slice(0, half))), ...(await readGroup(txids.slice(half)))]
  }
  return async (txids) => {
    const all: (Transaction | undefined)[] = []
    for (const group of inGroups([...txids], AT_ONCE)) {
      const found = await readGroup(group)
      for (const transaction of found) if (transaction) left -= bytesOf(transaction)
      if (left < 0)
        throw new AppError(422, 'content_too_large', 'What the name stands for is in too large transactions.')
      all.push(...found)
    }
    return all
  }
}

/** About the bytes of a serialization, which is not made for it: that alone would be 4 MB. */
function bytesOf({ inputs, outputs }: Transaction): number {
  let bytes = 10
  for (const { script } of outputs) bytes += 9 + script.length
  for (const { script, witness } of inputs) {
    bytes += 42 + script.length
    for (const item of witness) bytes += 1 + item.length
  }
  return bytes
}
