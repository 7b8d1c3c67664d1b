import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import { isAnyId, parsePageKey } from '../../../platform/d1/page-key.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { requireToken } from '../../auth/require-token.ts'

const orders = () => import('../orders.ts')

/** /v0/order: what clients store together. */
export const order = new Hono<AppEnv>()

order.get('/', requireToken('store'), async (c) => {
  const { orderPage } = await orders()
  const page = await orderPage(c.env.DB, c.get('caller').userId, parsePageKey(c.req.query('cursor'), isAnyId))
  return sendJson(c, page)
})

order.get('/:id', requireToken('store'), async (c) => {
  const { readOrder } = await orders()
  const text = await readOrder(c.env.DB, c.get('caller').userId, c.req.param('id'))
  return sendJson(c, text)
})

order.delete('/:id', requireToken('store'), async (c) => {
  const { deleteOrder } = await orders()
  await deleteOrder(c.env.DB, c.get('caller').userId, c.req.param('id'), now())
  return c.body(null, 204)
})
