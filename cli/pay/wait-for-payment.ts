import { counted } from '../../client/counted.ts'
import type { Client } from '../../client/create-client.ts'
import type { PaymentRequest } from '../../client/types.ts'
import { formatAmount, parseAmount } from '../../protocol/amount.ts'
import { sleep } from '../../reader/sleep.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { missingAmount } from './show-payment.ts'

const POLL_INTERVAL_MS = 2_000

/**
 * Waits until the service says that a request is paid. A wallet's display does not count.
 * @throws {CommandError} 8 if the request has expired
 */
export async function waitForPayment(
  { output, signal }: Context,
  { client, request, id, coin }: { client: Client; request: PaymentRequest; id: string; coin: string },
): Promise<void> {
  let latest = request
  for (;;) {
    const { status } = await client.items.get(id, { signal })
    if (status !== '402 Payment Required') break
    const before = latest.received
    latest = await client.payments.get(request.address, { signal })
    const { received, amount, state } = latest
    if (received !== before && parseAmount(received) > 0n) {
      output.note(
        `${received} of ${amount} ${coin} was seen; it is complete after ${counted(request.confirmations, 'block')}.`,
      )
      output.event({ type: 'state', address: request.address, state: state ?? 'seen', received })
    }
    if (state === 'expired' || state === 'cancelled') throw expired(latest, coin)
    await sleep(POLL_INTERVAL_MS, signal)
  }
  output.note(`The payment of ${request.amount} ${coin} is settled.`)
  output.event({ type: 'state', address: request.address, state: 'settled' })
}

function expired(request: PaymentRequest, coin: string): CommandError {
  const missing = formatAmount(missingAmount(request))
  return new CommandError(
    EXIT.pending,
    'payment_expired',
    `The payment was not made in time: ${missing} of ${request.amount} ${coin} is missing.`,
    { hint: 'Run the same command again for a new price. A late payment is credited to the balance.' },
  )
}
