import { Hono } from 'hono'
import { denylist } from '../../../content/denylist/denylist.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { requireToken } from '../../auth/require-token.ts'
import { deleteItem } from '../delete-item.ts'

/** What of /v0/item depends on payment: what is known of a content, the receipt, and that an item goes while it is unpaid. */
export const itemPayment = new Hono<AppEnv>()

itemPayment.post('/known', requireToken('store'), async (c) => {
  const schemas = () => import('../../../../contract/item.ts')
  const wanted = await readRequest(c, BODY_LIMIT.retrieval, schemas, 'WantedContent')
  const denied = await denylist(c.env, c.executionCtx)
  const { findKnownContent } = await import('../find-known-content.ts')
  return c.json({ known: await findKnownContent(c.env.DB, denied, c.get('caller').userId, wanted) })
})

itemPayment.get('/:id/receipt', requireToken('pay'), async (c) => {
  const { readReceipt } = await import('../read-receipt.ts')
  const receipt = await readReceipt(c.env.DB, c.get('config'), c.get('caller').userId, c.req.param('id'))
  return sendJson(c, receipt)
})

itemPayment.delete('/:id', requireToken('store'), async (c) => {
  await deleteItem(c.env, c.get('caller').userId, c.req.param('id'), now(), (work) => c.executionCtx.waitUntil(work))
  return c.body(null, 204)
})
