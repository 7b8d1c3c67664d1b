import type { Blockchain } from '../../protocol/chains.ts'
import { CHAINS } from '../../protocol/chains.ts'
import { plainAmount } from './coins.ts'

/**
 * The link for a wallet, by BIP 321: scheme and keys in lower case, the amount in whole coins. The QR code contains the
 * same.
 */
export function paymentLink(blockchain: Blockchain, address: string, units: bigint): string {
  return `${CHAINS[blockchain].uriScheme}:${address}?amount=${plainAmount(units)}`
}

/** An address in groups of four, to compare by eye; copied without the spaces. */
export function groupAddress(address: string): string[] {
  return address.match(/.{1,4}/g) ?? []
}
