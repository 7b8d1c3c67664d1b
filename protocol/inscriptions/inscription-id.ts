import { reverseHex } from '../transaction.ts'

/** What names an inscription: the transaction that reveals it, and its number in that. */
export interface InscriptionId {
  txid: string
  index: number
}

/**
 * The id in a value: 32 bytes of a txid as it is hashed, then the index, little-endian, without zeros at its end unless it has
 * four bytes (ord's `inscription_id.rs`). `undefined` for other bytes.
 */
export function readInscriptionId(value: Uint8Array | undefined): InscriptionId | undefined {
  if (!value || value.length < 32 || value.length > 36) return undefined
  const index = value.subarray(32)
  if (index.length < 4 && index.at(-1) === 0) return undefined
  return { txid: reverseHex(value.subarray(0, 32)), index: Number(littleEndian(index)) }
}

/** An unsigned integer; of no bytes 0. */
export function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}
