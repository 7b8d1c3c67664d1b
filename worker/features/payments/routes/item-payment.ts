import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { requireToken } from '../../auth/require-token.ts'
import { deleteItem } from '../delete-item.ts'

/** What of /v0/item/<id> depends on its payment: the receipt, and that it goes while it is unpaid. */
export const itemPayment = new Hono<AppEnv>()

itemPayment.get('/:id/receipt', requireToken('pay'), async (c) => {
  const { readReceipt } = await import('../read-receipt.ts')
  const receipt = await readReceipt(c.env.DB, c.get('caller').userId, c.req.param('id'))
  return c.body(receipt, 200, { 'Content-Type': JSON_TYPE })
})

itemPayment.delete('/:id', requireToken('store'), async (c) => {
  await deleteItem(c.env, c.get('caller').userId, c.req.param('id'), now(), (work) => c.executionCtx.waitUntil(work))
  return c.body(null, 204)
})
