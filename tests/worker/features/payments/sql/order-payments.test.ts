import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { selectRequestsOfOrders } from '../../../../../worker/features/payments/sql/order-payments.ts'
import { add, addMany } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

it('of the requests of a page of orders, the newest two thousand are read', async () => {
  await clearTables()
  await add('items', { id: 'item', order_id: 'order' })
  await addMany('payment_requests', 2_001, { created_at: 'n' })
  await addMany('payment_request_items', 2_001, { request_id: 'n', item_id: `'item'` })
  const found = (await selectRequestsOfOrders(env.DB, 'ada', ['order'])).get('order') ?? []
  expect([found.length, found[0]?.id, found.at(-1)?.id]).toEqual([2_000, '2001', '2'])
})
