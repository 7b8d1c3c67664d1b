import { formatAmount } from '../../../protocol/amount.ts'
import { type Blockchain, CHAINS } from '../../../protocol/chains.ts'

/**
 * The BIP 21 link for `left` base units: a wallet that opens it again when nothing is left must not pay again, so that
 * it then names no amount.
 */
export function paymentUri(blockchain: Blockchain, address: string, left: bigint): string {
  const link = `${CHAINS[blockchain].uriScheme}:${address}`
  return left > 0n ? `${link}?amount=${formatAmount(left)}` : link
}
