import { readTransaction, reverseHex, stripTransaction, type Transaction } from '../../protocol/transaction.ts'
import type { Sha256 } from '../chain/verify-transaction.ts'
import { ReaderError } from '../reader-error.ts'

/** A transaction that was hashed to its txid, which covers all but its witness. */
export interface WholeTransaction {
  txid: string
  transaction: Transaction
  /** Its serialization without witness. */
  bytes: Uint8Array
}

/**
 * Exactly these transactions, one behind the other, with the witnesses that they have.
 * @throws {ReaderError} `not_verified`
 */
export async function splitTransactions(
  bytes: Uint8Array,
  txids: readonly string[],
  sha256: Sha256,
): Promise<WholeTransaction[]> {
  let offset = 0
  const found: WholeTransaction[] = []
  for (const txid of txids) {
    const { transaction, stripped, end } = parseAt(bytes, offset)
    offset = end
    const actual = reverseHex(await sha256(await sha256(stripped)))
    if (actual !== txid) throw new ReaderError('not_verified', `The answer for ${txid} is ${actual}.`)
    found.push({ txid, transaction, bytes: stripped })
  }
  if (offset === bytes.length) return found
  throw new ReaderError('not_verified', 'There are more bytes than requested.')
}

function parseAt(bytes: Uint8Array, offset: number) {
  try {
    return { ...readTransaction(bytes, offset), stripped: stripTransaction(bytes, offset).bytes }
  } catch (cause) {
    throw new ReaderError('not_verified', 'The answer is not the transactions that were asked for.', cause)
  }
}
