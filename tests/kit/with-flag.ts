import { concatBytes, fromHex, toHex } from '../../protocol/bytes.ts'

/**
 * A raw transaction without flags (hex) with the flag byte `flag` and its data in front of the lock time, as Litecoin Core
 * sends one with flag 8 (MWEB) that no block has yet. The txid stays the same.
 */
export function withFlag(hex: string, flag: number, data: Uint8Array): string {
  const bytes = fromHex(hex)
  if (!bytes) throw new Error('not hex')
  const marker = Uint8Array.of(0, flag)
  return toHex(concatBytes([bytes.subarray(0, 4), marker, bytes.subarray(4, -4), data, bytes.subarray(-4)]))
}

/** A raw transaction (hex) that is on Litecoin's extension block alone: all of it is the data of flag 8. */
export const MWEB_ONLY = `02000000${'0008'}${'0000'}${'01'}${'5a'.repeat(300)}00000000`
