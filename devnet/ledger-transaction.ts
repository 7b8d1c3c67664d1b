import { decodeTransaction, encodeTransaction, reverseHex, type Transaction } from '../protocol/transaction.ts'
import { sha256d } from './hash.ts'

/** A transaction with all derived values, computed once. Sizes in bytes, weight by BIP 141. */
export interface LedgerTransaction extends Transaction {
  txid: string
  wtxid: string
  raw: Uint8Array
  strippedSize: number
  weight: number
  vsize: number
  /** `txid:vout` of each input. */
  outpoints: string[]
  coinbase: boolean
}

const NO_TXID = '0'.repeat(64)

/** The key of an output in the maps of the chain and the mempool. */
export function outpoint(txid: string, vout: number): string {
  return `${txid}:${vout}`
}

/** Reads a serialized transaction. @throws {TransactionError} */
export function readLedgerTransaction(raw: Uint8Array): LedgerTransaction {
  return deriveLedgerTransaction(decodeTransaction(raw), raw)
}

/** The same for a new transaction. */
export function deriveLedgerTransaction(
  transaction: Transaction,
  raw: Uint8Array = encodeTransaction(transaction),
): LedgerTransaction {
  const segwit = transaction.inputs.some((input) => input.witness.length > 0)
  const stripped = segwit ? encodeTransaction(transaction, { witness: false }) : raw
  const txid = reverseHex(sha256d(stripped))
  const weight = stripped.length * 3 + raw.length
  const [first] = transaction.inputs
  return {
    ...transaction,
    txid,
    wtxid: segwit ? reverseHex(sha256d(raw)) : txid,
    raw,
    strippedSize: stripped.length,
    weight,
    vsize: Math.ceil(weight / 4),
    outpoints: transaction.inputs.map((input) => outpoint(input.txid, input.vout)),
    coinbase: transaction.inputs.length === 1 && first?.txid === NO_TXID && first.vout === 0xffffffff,
  }
}
