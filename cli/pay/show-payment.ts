import { encode } from 'uqr'
import type { PaymentRequest } from '../../client/types.ts'
import { formatAmount, parseAmount } from '../../protocol/amount.ts'
import { formatTime } from '../output/format-time.ts'
import { isAnimated, wantsColor } from '../output/style.ts'
import type { Context } from '../run/context.ts'

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
    networkFee: request.networkFee,
    storageFee: request.storageFee,
  }
}

/** The amount left to pay, in base units. */
export function missingAmount({ amount, received }: Pick<PaymentRequest, 'amount' | 'received'>): bigint {
  const left = parseAmount(amount) - parseAmount(received)
  return left > 0n ? left : 0n
}

/** The amount, address and link of a payment as lines of text. */
export function paymentLines(request: PaymentRequest, coin: string): string[] {
  return [
    `pay      ${formatAmount(missingAmount(request))} ${coin}`,
    `of it    ${request.networkFee} fees of the chain, ${request.storageFee} for the storage`,
    `to       ${request.address}`,
    `before   ${formatTime(request.expiresAt)}`,
    `uri      ${request.uri}`,
  ]
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

/** Width of the quiet zone in modules (ISO/IEC 18004, 9.1). */
const BORDER = 4
// Black and white of the fixed 6x6x6 palette, because themes change the first sixteen colours.
const BLACK = 16
const WHITE = 231

/**
 * A QR code for a terminal: two modules in one character, always with both colours, so that it is readable in dark and
 * light themes. `undefined` if it does not fit.
 */
export function drawQr(text: string, columns: number, rows: number): string | undefined {
  const { size, data } = encode(text, { ecc: 'L', border: 0 })
  const width = size + 2 * BORDER
  if (width > columns || Math.ceil(width / 2) + 2 > rows) return undefined
  const isBlack = (row: number, column: number) => data[row - BORDER]?.[column - BORDER] === true
  let drawing = ''
  for (let row = 0; row < width; row += 2) {
    for (let column = 0; column < width; column++) {
      const upper = isBlack(row, column) ? BLACK : WHITE
      const lower = isBlack(row + 1, column) ? BLACK : WHITE
      drawing += `\u001b[38;5;${upper};48;5;${lower}m\u2580`
    }
    drawing += '\u001b[0m\n'
  }
  return drawing
}
