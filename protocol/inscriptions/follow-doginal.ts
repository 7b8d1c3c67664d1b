import { encodeTransaction, type Transaction, transactionId } from '../transaction.ts'
import { MAX_DOGINAL_TRANSACTIONS } from './content-name.ts'
import { beginDoginal, continueDoginal, type Doginal } from './doginal.ts'

/** Blocks after that of a transaction that are searched for the next one. */
export const BLOCKS_AFTER = 12
/** The most blocks that are searched for one doginal. */
export const MAX_BLOCKS = 120

/** A doginal as far as its transactions were found. */
export interface FollowedDoginal {
  doginal: Doginal
  /** In order. */
  txids: readonly string[]
}

/** The doginal that a transaction begins; `undefined` where it begins none. */
export function followFrom(first: Transaction): FollowedDoginal | undefined {
  const doginal = beginDoginal(first.inputs[0]?.script ?? new Uint8Array(0))
  return doginal && { doginal, txids: [idOf(first)] }
}

/**
 * Goes on in transactions in chain order, those behind the last one that was found: the next is the first whose input 0 spends any
 * output of the last one and begins with the expected part. Other spenders are passed over. Ends at the last part, and
 * at as many transactions as a name may have.
 */
export function followIn(begun: FollowedDoginal, transactions: Iterable<Transaction>): FollowedDoginal {
  let found = begun
  for (const next of followSteps(begun, transactions)) found = next
  return found
}

/** {@link followIn}, told of each transaction that goes on. */
export function* followSteps(
  begun: FollowedDoginal,
  transactions: Iterable<Transaction>,
): Generator<FollowedDoginal, void> {
  let found = begun
  if (!isOpen(found)) return
  for (const transaction of transactions) {
    const [input] = transaction.inputs
    const doginal =
      input && input.txid === found.txids.at(-1) ? continueDoginal(found.doginal, input.script) : undefined
    if (!doginal) continue
    found = { doginal, txids: [...found.txids, idOf(transaction)] }
    yield found
    if (!isOpen(found)) return
  }
}

/** Whether parts are missing that a name could still have. */
export function isOpen({ doginal, txids }: FollowedDoginal): boolean {
  return doginal.missing > 0 && txids.length < MAX_DOGINAL_TRANSACTIONS
}

/** The transactions behind that one; `undefined` where it is not among them. */
export function behind(txid: string, transactions: readonly Transaction[]): Transaction[] | undefined {
  const at = transactions.findIndex((transaction) => idOf(transaction) === txid)
  return at < 0 ? undefined : transactions.slice(at + 1)
}

function idOf(transaction: Transaction): string {
  return transactionId(encodeTransaction(transaction, { witness: false }))
}
