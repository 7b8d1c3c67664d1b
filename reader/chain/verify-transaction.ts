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
  /** The offset after it in the bytes. */
  end: number
}

/** The transaction at `offset`, not hashed yet. @throws {ReaderError} `not_verified` for what is no transaction. */
function parseAt(bytes: Uint8Array, offset: number, txid: string) {
  try {
    return stripTransaction(bytes, offset)
  } catch (cause) {
    throw new ReaderError('not_verified', `The answer for ${txid} is no transaction.`, cause)
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
  if (found !== txid) throw new ReaderError('not_verified', `The answer for ${txid} is ${found}.`)
  return { txid, bytes: stripped, pushes: opReturnData(scripts), end }
}

/**
 * Every transaction of `bytes`, which must be those of `txids`, one after another and nothing else.
 * @throws {ReaderError} `not_verified`
 */
export async function verifyTransactions(
  bytes: Uint8Array,
  txids: readonly string[],
  sha256: Sha256,
): Promise<VerifiedTransaction[]> {
  let offset = 0
  const found = txids.map((txid) => {
    const start = offset
    offset = parseAt(bytes, start, txid).end
    return { txid, start }
  })
  if (offset !== bytes.length) throw new ReaderError('not_verified', 'There are more bytes than requested.')
  // Side by side: a runtime's own SHA-256 answers later.
  return Promise.all(found.map(({ txid, start }) => verifyTransactionAt(bytes, start, txid, sha256)))
}
