import { formatAmount } from '../../../protocol/amount.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { paymentParts } from './payment-parts.ts'
import { paymentUri } from './payment-uri.ts'
import type { PaymentRequest } from './sql/payment-requests.ts'

/**
 * The body of a 402 (docs/behaviour/payments.md) as JSON text: amounts are written digit for digit, which a
 * JavaScript number could not hold above 2^53 base units. `expiresAt` is in Unix seconds.
 */
export function paymentJson(
  request: PaymentRequest & { address: string },
  received: bigint,
  confirmations: number,
): string {
  const { target, blockchain, address, amount, expiresAt } = request
  const left = amount - received
  const coins = `${formatAmount(left > 0n ? left : amount)}${target === blockchain ? '' : ` ${blockchain}`}`
  const transfer = `${target} is waiting for a transfer of ${coins} to ${address}`
  const text = {
    message: left > 0n ? `${transfer}.` : `${transfer}: it was seen and needs confirmations. Send nothing more.`,
    address,
    uri: paymentUri(blockchain, address, left),
    expiresAt: unixSeconds(expiresAt),
    confirmations,
  }
  return coinsJson(text, { amount, ...paymentParts(request), received })
}
