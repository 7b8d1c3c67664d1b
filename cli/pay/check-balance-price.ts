import type { Client } from '../../client/create-client.ts'
import type { Item, StorageTarget } from '../../client/types.ts'
import { parseAmount } from '../../protocol/amount.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { type Agreement, checkPrice } from './confirm-price.ts'
import { estimatePrice, sizesAsStored } from './estimate-price.ts'
import type { TargetFacts } from './find-target.ts'

/**
 * Compares the limit with the price of the bytes as they are stored. A balance that covers a payment pays as soon as it
 * is requested, so this must happen before.
 * @throws {CommandError} 9 above the limit
 */
export async function checkBalancePrice(
  client: Client,
  order: {
    target: StorageTarget
    facts: TargetFacts
    items: readonly Item[]
    coin: string
    estimate: string | undefined
    index?: boolean | undefined
  },
  agreement: Agreement,
  context: Pick<Context, 'output' | 'signal'>,
): Promise<void> {
  const { maxFee, fromBalance } = agreement
  const unpaid = order.items.filter(({ status }) => status === '402 Payment Required')
  if (!fromBalance || maxFee === undefined || unpaid.length === 0) return
  // The estimate for the files was an upper bound.
  if (order.estimate !== undefined && parseAmount(order.estimate) <= maxFee) return
  const place = { to: order.target, directory: false, index: order.index }
  const price = await estimatePrice(client, place, sizesAsStored(unpaid, order.facts), context)
  if (price) return checkPrice(parseAmount(price.amount), agreement, order.coin)
  throw new CommandError(
    EXIT.refused,
    'no_estimate',
    'This service has no price before the balance pays, so --max-fee cannot be checked.',
    {
      hint: 'Run the same command without --pay-from-balance when the balance is empty, or without --max-fee at a terminal.',
    },
  )
}
