import { formatAmount } from '../../protocol/amount.ts'
import { CHAINS } from '../../protocol/chains.ts'
import type { PaymentRequest } from '../storage/payment-requests.ts'

/**
 * The body of a 402 (spec 2.4 and contract, section 6) as JSON text: amounts are written digit for digit, which a
 * JavaScript number could not hold above 2^53 base units. `expiresAt` is in Unix seconds.
 */
export function paymentJson(
  request: PaymentRequest & { address: string },
  received: bigint,
  confirmations: number,
): string {
  const { blockchain, address, amount, expiresAt } = request
  const left = received < amount ? amount - received : amount
  const text = {
    message: `${blockchain} is waiting for a transfer of ${formatAmount(left)} to ${address}.`,
    address,
    // BIP 21: what is left to transfer, in coins.
    uri: `${CHAINS[blockchain].uriScheme}:${address}?amount=${formatAmount(left)}`,
    expiresAt: Math.floor(expiresAt / 1000),
    confirmations,
  }
  return `${JSON.stringify(text).slice(0, -1)},"amount":${formatAmount(amount)},"received":${formatAmount(received)}}`
}
