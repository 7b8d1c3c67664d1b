import type { Client } from '../../client/create-client.ts'
import type { PricedFile } from '../../client/store/sizes-when-compressed.ts'
import type { Estimate, Item, StorageTarget, Target } from '../../client/types.ts'
import { parseAmount } from '../../protocol/amount.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { type Agreement, checkPrice } from './confirm-price.ts'
import { estimatePrice, sizesAsStored } from './estimate-price.ts'

/** Merged items, some of which may be paid, and what their price depends on. */
export interface Order {
  target: StorageTarget
  facts: Target
  items: readonly Item[]
  /** The files of items by id, where they were sent by this command: of many items only a part is in `items`. */
  files?: ReadonlyMap<string, PricedFile>
  coin: string
  /** The most that their files may cost, by an estimate before they were sent. */
  estimate: string | undefined
  index?: boolean | undefined
}

/**
 * Compares the limit with the price of the bytes as they are stored. A balance that covers a payment pays as soon as it
 * is requested, so this must happen before.
 * @throws {CommandError} 9 above the limit
 */
export async function checkBalancePrice(
  client: Client,
  order: Order,
  agreement: Agreement,
  context: Pick<Context, 'output' | 'signal'>,
): Promise<void> {
  const { maxFee, fromBalance } = agreement
  const unpaid = order.items.filter(({ status }) => status === '402 Payment Required')
  if (!fromBalance || maxFee === undefined || unpaid.length === 0) return
  // The estimate for the files was an upper bound.
  if (order.estimate !== undefined && parseAmount(order.estimate) <= maxFee) return
  const unpaidIds = unpaid.map(({ id }) => id)
  const price = await priceAsStored(client, order, unpaidIds, context)
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

/** The most that items of an order cost now, by their ids; `undefined` as {@link estimatePrice}. */
export async function priceAsStored(
  client: Client,
  { target, facts, items, files, index }: Order,
  ids: readonly string[],
  context: Pick<Context, 'output' | 'signal'>,
): Promise<Estimate | undefined> {
  const known = new Map(items.map((item) => [item.id, item]))
  const priced = ids.flatMap((id) => {
    const item = known.get(id)
    return item ? sizesAsStored([item], facts) : (files?.get(id) ?? [])
  })
  return await estimatePrice(client, { to: target, directory: false, index }, priced, context)
}
