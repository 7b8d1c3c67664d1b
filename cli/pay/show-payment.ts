import type { PaymentRequest } from '../../client/types.ts'
import { formatAmount, parseAmount } from '../../protocol/amount.ts'
import { formatTime } from '../output/format-time.ts'
import { isAnimated, wantsColor } from '../output/style.ts'
import type { Context } from '../run/context.ts'
import { drawQr } from './draw-qr.ts'

/** A payment request in the JSON output. */
export function paymentJson(request: PaymentRequest) {
  const { address, amount, received, uri, expiresAt, confirmations } = request
  return {
    address,
    amount,
    received,
    uri,
    expiresAt,
    confirmations,
    networkFee: request.networkFee ?? null,
    storageFee: request.storageFee ?? null,
  }
}

/** The amount left to pay, in base units. */
export function missingAmount({ amount, received }: Pick<PaymentRequest, 'amount' | 'received'>): bigint {
  const left = parseAmount(amount) - parseAmount(received)
  return left > 0n ? left : 0n
}

/** The amount, address and link of a payment as lines of text. */
export function paymentLines(request: PaymentRequest, coin: string): string[] {
  const lines = [
    `pay      ${formatAmount(missingAmount(request))} ${coin}`,
    `to       ${request.address}`,
    `before   ${formatTime(request.expiresAt)}`,
    `uri      ${request.uri}`,
  ]
  if (request.networkFee !== undefined && request.storageFee !== undefined) {
    lines.splice(1, 0, `of it    ${request.networkFee} fees of the chain, ${request.storageFee} for the storage`)
  }
  return lines
}

/**
 * Shows a payment. While the command waits for it: on stderr, on a terminal with its QR code if that fits, and as an
 * event. Otherwise the lines are the result on stdout.
 */
export function showPayment(
  { output, stderr, env, line }: Context,
  request: PaymentRequest,
  { coin, wait }: { coin: string; wait: boolean },
): void {
  output.event({ type: 'payment', ...paymentJson(request) })
  const colored = isAnimated(stderr, env) && wantsColor(stderr, env, line.has('no-color'))
  const drawing = colored ? drawQr(request.uri, stderr.columns ?? 80, stderr.rows ?? 24) : undefined
  if (drawing !== undefined) output.unescaped(`\n${drawing}\n`)
  if (wait || output.mode !== 'text') for (const text of paymentLines(request, coin)) output.note(text)
}
