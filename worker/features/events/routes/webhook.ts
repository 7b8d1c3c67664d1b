import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { requireToken } from '../../auth/require-token.ts'
import { deleteWebhook, selectWebhooks } from '../sql/webhooks.ts'

/** /v0/webhook: addresses that are told of the caller's events. */
export const webhook = new Hono<AppEnv>()

webhook.post('/', requireToken(), async (c) => {
  const { addWebhook } = await import('../add-webhook.ts')
  const given = await readRequest(c, BODY_LIMIT.account, () => import('../../../../contract/event.ts'), 'NewWebhook')
  return c.json(await addWebhook(c.env.DB, c.get('config'), c.get('caller').userId, given, now()), 201)
})

webhook.get('/', requireToken(), async (c) => {
  const { webhookJson } = await import('../webhook-json.ts')
  return c.json({ webhooks: (await selectWebhooks(c.env.DB, c.get('caller').userId)).map(webhookJson) })
})

webhook.delete('/:id', requireToken(), async (c) => {
  if (!(await deleteWebhook(c.env.DB, c.get('caller').userId, c.req.param('id')))) {
    throw notFound('You have no webhook with this id.')
  }
  return c.body(null, 204)
})
