import { Hono } from 'hono'
import { requireToken } from '../auth/require-token.ts'
import { now } from '../clock.ts'
import type { AppEnv } from '../http/app-env.ts'
import { notFound } from '../http/errors.ts'
import { BODY_LIMIT, readJson } from '../http/read-body.ts'
import { deleteWebhook, selectWebhooks } from '../storage/events/webhooks.ts'

/** /v0/webhook: addresses that are told of the caller's events. */
export const webhook = new Hono<AppEnv>()

webhook.post('/', requireToken(), async (c) => {
  const { addWebhook } = await import('../events/add-webhook.ts')
  const body = await readJson(c, BODY_LIMIT.account)
  return c.json(await addWebhook(c.env.DB, c.get('config'), c.get('caller').userId, body, now()), 201)
})

webhook.get('/', requireToken(), async (c) => {
  const { webhookJson } = await import('../events/webhook-json.ts')
  return c.json({ webhooks: (await selectWebhooks(c.env.DB, c.get('caller').userId)).map(webhookJson) })
})

webhook.delete('/:id', requireToken(), async (c) => {
  if (!(await deleteWebhook(c.env.DB, c.get('caller').userId, c.req.param('id')))) {
    throw notFound('You have no webhook with this id.')
  }
  return c.body(null, 204)
})
