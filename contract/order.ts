import { Blockchain, OrderId, StorageTarget } from './fields.ts'
import { coins, count, list, noted, nullable, type Output, object, seconds, text, words } from './schema.ts'
import { ITEM_STATUS_NUMBERS, PAYMENT_STATES } from './states.ts'

/** What a client stored together. */
export const Order = object({
  id: OrderId,
  name: text('Of its first folder, or file.'),
  blockchain: StorageTarget,
  createdAt: seconds('When the first of it was made'),
  counts: noted(
    object(Object.fromEntries(ITEM_STATUS_NUMBERS.map((status) => [status, count()]))),
    'How many files are in each state; those of a merged folder have its state.',
  ),
  payments: list(
    object({
      address: nullable(text(), 'Null for what the balance paid at once.'),
      paidIn: Blockchain,
      state: words(PAYMENT_STATES),
      amount: coins('What it asks'),
      expiresAt: seconds('Until when the price holds'),
    }),
    'Requests that pay for something of it, newest first.',
    { most: 50 },
  ),
})
export type Order = Output<typeof Order>
