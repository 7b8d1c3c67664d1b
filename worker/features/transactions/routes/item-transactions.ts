import { Hono } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { requireToken } from '../../auth/require-token.ts'
import { itemTransactions } from '../item-transactions.ts'

/** GET /v0/item/<id>/transactions */
export const itemTransactionsRoute = new Hono<AppEnv>()

itemTransactionsRoute.get('/:id/transactions', requireToken('store'), async (c) => {
  const { id } = c.req.param()
  const page = await itemTransactions(c.env.DB, c.get('config'), c.get('caller').userId, id, c.req.query('cursor'))
  return c.json(page)
})
