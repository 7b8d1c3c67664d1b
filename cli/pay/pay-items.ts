import type { Client } from '../../client/create-client.ts'
import type { OrderJournal } from '../../client/store/order-journal.ts'
import { payOrder, TooDearError } from '../../client/store/pay-order.ts'
import type { PaymentRequest } from '../../client/types.ts'
import { formatAmount, parseAmount } from '../../protocol/amount.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { checkBalancePrice, type Order, priceAsStored } from './check-balance-price.ts'
import { type Agreement, checkPrice } from './confirm-price.ts'
import { missingAmount, showPayment } from './show-payment.ts'
import { waitForPayment } from './wait-for-payment.ts'

export interface Paying {
  client: Client
  journal: OrderJournal
  order: Order
  /** All items of the order, merged; some may be paid already. */
  ids: readonly string[]
  agreement: Agreement
  /** Wait until each request is paid. */
  wait: boolean
}

/**
 * The requests that are still unpaid, and the files whose items the service no longer has.
 * @throws {CommandError} 9 above the limit
 */
export async function payItems(context: Context, paying: Paying): ReturnType<typeof payOrder> {
  const { output, signal } = context
  const { client, journal, order, ids, agreement, wait } = paying
  const { target: to, coin } = order
  await checkBalancePrice(client, order, agreement, context)
  const maxFee = agreement.maxFee === undefined ? undefined : formatAmount(agreement.maxFee)
  const tools = {
    ...client,
    async priceOf(batch: readonly string[]) {
      // Where the service has no price, each payment counts as the whole limit.
      return (await priceAsStored(client, order, batch, context))?.amount ?? maxFee ?? '0'
    },
  }
  const onProgress = (done: number) => output.step({ step: 'paying', done, total: ids.length, unit: 'items' })
  onProgress(0)
  try {
    return await payOrder(tools, journal, ids, {
      to,
      signal,
      fromBalance: agreement.fromBalance,
      maxFee,
      onProgress: ({ done }) => onProgress(done),
      async onRequest(request, isSeen, [id = '']) {
        if (isSeen) output.note(`The payment of ${request.amount} ${coin} was seen; nothing is left to pay.`)
        else {
          requireBalance(request, paying)
          showPayment(context, request, { coin, wait })
        }
        if (wait) await waitForPayment(context, { client, request, id, coin })
        return wait
      },
    })
  } catch (error) {
    if (error instanceof TooDearError) checkPrice(parseAmount(error.amount), agreement, coin)
    throw error
  } finally {
    output.endStep()
  }
}

/** @throws {CommandError} 9 if the balance should pay but does not cover the amount */
function requireBalance(request: PaymentRequest, { agreement, order: { coin } }: Paying): void {
  if (!agreement.fromBalance) return
  throw new CommandError(
    EXIT.tooDear,
    'insufficient_balance',
    `The balance does not cover the ${formatAmount(missingAmount(request))} ${coin} that are due. Nothing was paid.`,
    {
      hint: `Send coins to ${request.address}, or to an address of hookline balance --deposit, and run the same command again.`,
    },
  )
}
