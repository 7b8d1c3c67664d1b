import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { deleteOrder } from '../../../../../worker/features/payments/orders.ts'
import { selectRequestsOfOrders } from '../../../../../worker/features/payments/sql/order-payments.ts'
import { add, addMany, list } from '../../../rows.ts'
import { clearTables } from './clear-tables.ts'

it('of the requests of a page of orders, the newest two thousand are read', async () => {
  await clearTables()
  await add('items', { id: 'item', order_id: 'order' })
  await addMany('payment_requests', 2_001, { created_at: 'n' })
  await addMany('payment_request_items', 2_001, { request_id: 'n', item_id: `'item'` })
  const found = (await selectRequestsOfOrders(env.DB, 'ada', ['order'])).get('order') ?? []
  expect([found.length, found[0]?.id, found.at(-1)?.id]).toEqual([2_000, '2001', '2'])
})

it('of an order that is removed, 150 open requests are cancelled at once', async () => {
  await clearTables()
  await add('orders', { id: 'order', user_id: 'ada', name: '', blockchain: 'Bitcoin', created_at: 0 })
  await addMany('items', 151, { id: 'n', order_id: `'order'` })
  await addMany('addresses', 151, { address: 'n', state: `'discarded'` })
  await addMany('payment_requests', 151, { id: 'n', address: 'n' })
  await addMany('payment_request_items', 151, { request_id: 'n', item_id: 'n', waiting: '1' })
  const remove = () => deleteOrder(env.DB, 'ada', 'order', 1)
  await expect(remove()).rejects.toMatchObject({ status: 503, code: 'busy' })
  expect((await list('payment_requests', 'state')).filter((state) => state === 'open')).toHaveLength(1)
  await remove()
  expect(await list('orders', 'id')).toEqual([])
})
