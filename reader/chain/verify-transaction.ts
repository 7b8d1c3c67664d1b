import { opReturnData } from '../../protocol/op-return.ts'
import { reverseHex, stripTransaction } from '../../protocol/transaction.ts'
import { ReaderError } from '../reader-error.ts'

/** SHA-256; a promise where the runtime's own is one. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>

/** A transaction whose bytes were hashed to its txid. */
export interface VerifiedTransaction {
  txid: string
  /** Its serialization without witness, which is what is hashed. */
  bytes: Uint8Array
  /** What its OP_RETURN outputs hold, in order; `undefined` for no data. */
  pushes: Uint8Array[] | undefined
  /** Offset behind it in the bytes given. */
  end: number
}

/** The transaction at `offset`, not hashed yet. @throws {ReaderError} `not_verified` for what is no transaction. */
export function parseAt(bytes: Uint8Array, offset: number, txid: string) {
  try {
    return stripTransaction(bytes, offset)
  } catch (cause) {
    throw new ReaderError('not_verified', `What came for ${txid} is no transaction.`, cause)
  }
}

/**
 * The transaction at `offset` of `bytes`, with or without its witness, if it is the one that `txid` names: the double
 * SHA-256 of its serialization without witness (BIP 141), byte-reversed. @throws {ReaderError} `not_verified`
 */
export async function verifyTransactionAt(
  bytes: Uint8Array,
  offset: number,
  txid: string,
  sha256: Sha256,
): Promise<VerifiedTransaction> {
  const { bytes: stripped, scripts, end } = parseAt(bytes, offset, txid)
  const found = reverseHex(await sha256(await sha256(stripped)))
  if (found !== txid) throw new ReaderError('not_verified', `What came for ${txid} is ${found}.`)
  return { txid, bytes: stripped, pushes: opReturnData(scripts), end }
}

/** Every transaction of `bytes`, which must be those of `txids`, one after another and nothing else. */
export async function verifyTransactions(
  bytes: Uint8Array,
  txids: readonly string[],
  sha256: Sha256,
): Promise<VerifiedTransaction[]> {
  const verified: VerifiedTransaction[] = []
  let offset = 0
  for (const txid of txids) {
    const transaction = await verifyTransactionAt(bytes, offset, txid, sha256)
    verified.push(transaction)
    offset = transaction.end
  }
  if (offset !== bytes.length) throw new ReaderError('not_verified', 'More bytes came than were asked for.')
  return verified
}
