import type { Blockchain } from '../../protocol/chains.ts'
import { CHAINS } from '../../protocol/chains.ts'
import { plainAmount } from './coins.ts'

/**
 * The link that a wallet opens, by BIP 321: scheme and keys in lower case, the address as it is, the amount in whole
 * coins. QR code and link carry the same.
 */
export function paymentLink(blockchain: Blockchain, address: string, units: bigint): string {
  return `${CHAINS[blockchain].uriScheme}:${address}?amount=${plainAmount(units)}`
}

/** An address in groups of four, to compare by eye; it is copied without the spaces. */
export function groupAddress(address: string): string[] {
  return address.match(/.{1,4}/g) ?? []
}
