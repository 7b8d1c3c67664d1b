import { counted } from '../../client/counted.ts'
import type { Client } from '../../client/create-client.ts'
import { readRequest } from '../../client/put/pay-order.ts'
import type { PaymentRequest } from '../../client/types.ts'
import { formatAmount, parseAmount } from '../../protocol/amount.ts'
import { sleep } from '../../reader/sleep.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { missingAmount } from './show-payment.ts'

const POLL_INTERVAL_MS = 2_000
/**
 * A payment that was seen in time stays valid. For an older service, which does not report that, the command waits this
 * much longer (ms).
 */
const GRACE_MS = 600_000

/**
 * Waits until the service says that a request is paid. A wallet's display does not count.
 * @throws {CommandError} 8 if the request has expired
 */
export async function waitForPayment(
  { output, signal, now }: Context,
  { client, request, id, coin }: { client: Client; request: PaymentRequest; id: string; coin: string },
): Promise<void> {
  let latest = request
  let tells = true
  for (;;) {
    const { status } = await client.items.get(id, { signal })
    if (status !== '402 Payment Required') break
    const told: PaymentRequest | undefined = tells ? await readRequest(client, request.address, { signal }) : undefined
    tells = told !== undefined
    if (told && told.received !== latest.received && parseAmount(told.received) > 0n) {
      output.note(
        `${told.received} of ${told.amount} ${coin} was seen; it is complete after ${counted(request.confirmations, 'block')}.`,
      )
      output.event({ type: 'state', address: request.address, state: told.state ?? 'seen', received: told.received })
    }
    latest = told ?? latest
    const over = latest.state === 'expired' || latest.state === 'cancelled'
    if (over || (!told && now() > request.expiresAt * 1000 + GRACE_MS)) throw expired(latest, coin)
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
