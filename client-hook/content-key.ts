import { toHex } from '../protocol/bytes.ts'
import { txidBytes } from '../protocol/transaction.ts'

/**
 * The database key of a transaction: its CID in base 16. A transaction without witness is the IPLD block of codec
 * `bitcoin-tx` (0xb1) whose multihash is `dbl-sha2-256` (0x56) of 32 bytes (multicodec table).
 */
export function transactionKey(txid: string): string {
  return `f01b1015620${toHex(txidBytes(txid))}`
}
