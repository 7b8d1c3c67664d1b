import { readStripped, type StrippedTransaction, TransactionError } from '../../protocol/transaction.ts'
import { ReaderError } from '../reader-error.ts'

/**
 * The transactions of a doginal as `GET /v0/tx/…?any=1&parts=1` sends them: `txid`, and behind it those that are said to go on.
 * Each has the txid that its bytes hash to, and nothing else of it is checked.
 * @throws {ReaderError} `not_verified`
 */
export function splitParts(bytes: Uint8Array, txid: string): StrippedTransaction[] {
  const found: StrippedTransaction[] = []
  try {
    for (let at = 0; at < bytes.length; at = found.at(-1)?.end ?? 0) found.push(readStripped(bytes, at))
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause
    throw new ReaderError('not_verified', 'The answer has other bytes than transactions.', cause)
  }
  if (found[0]?.txid === txid) return found.slice(1)
  throw new ReaderError('not_verified', `The answer for ${txid} is ${found[0]?.txid}.`)
}
