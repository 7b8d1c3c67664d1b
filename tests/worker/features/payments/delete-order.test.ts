import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { deleteOrder, readOrder } from '../../../../worker/features/payments/orders.ts'
import { add, addMany, list } from '../../rows.ts'

it('an order shows 50 of its payments, and where it is removed 150 open requests are cancelled at once', async () => {
  await add('orders', { id: 'order', user_id: 'ada', name: '', blockchain: 'Bitcoin', created_at: 0 })
  await addMany('items', 151, { id: 'n', order_id: `'order'` })
  await addMany('addresses', 151, { address: 'n', state: `'discarded'` })
  await addMany('payment_requests', 151, { id: 'n', address: 'n' })
  await addMany('payment_request_items', 151, { request_id: 'n', item_id: 'n', waiting: '1' })
  expect(JSON.parse(await readOrder(env.DB, 'ada', 'order')).payments).toHaveLength(50)
  const remove = () => deleteOrder(env.DB, 'ada', 'order', 1)
  await expect(remove()).rejects.toMatchObject({ status: 503, code: 'busy' })
  expect((await list('payment_requests', 'state')).filter((state) => state === 'open')).toHaveLength(1)
  await remove()
  expect(await list('orders', 'id')).toEqual([])
})

it('empty folders go with the order that they are of, and with no other', async () => {
  await add('orders', { id: 'removed', user_id: 'ada', name: '', blockchain: 'IPFS', created_at: 0 })
  await add(
    'folders',
    { id: 'of it', order_id: 'removed' },
    { id: 'of another', order_id: 'another' },
    { id: 'of none' },
  )
  await deleteOrder(env.DB, 'ada', 'removed', 1)
  expect(await list('folders', 'id')).toEqual(['of another', 'of none'])
})
