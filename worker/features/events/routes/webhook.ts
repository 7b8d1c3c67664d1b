import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { setRateLimitHeaders } from '../../../platform/http/limit-requests.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { limitAction } from '../../auth/limit-action.ts'
import { requireToken } from '../../auth/require-token.ts'
import { deleteWebhook, resumeWebhook, selectWebhooks } from '../sql/webhooks.ts'

/** /v0/webhook: addresses that are notified of the caller's events. */
export const webhook = new Hono<AppEnv>()

const noSuch = () => notFound('You have no webhook with this id.')

webhook.post('/', requireToken(), async (c) => {
  const { addWebhook } = await import('../add-webhook.ts')
  const given = await readRequest(c, BODY_LIMIT.account, () => import('../../../../contract/event.ts'), 'NewWebhook')
  return c.json(await addWebhook(c.env.DB, c.get('config'), c.get('caller'), given, now()), 201)
})

webhook.get('/', requireToken(), async (c) => {
  const { webhookJson } = await import('../webhook-json.ts')
  return c.json({ webhooks: (await selectWebhooks(c.env.DB, c.get('caller').userId, now())).map(webhookJson) })
})

webhook.post('/:id/test', requireToken(), async (c) => {
  const { userId } = c.get('caller')
  setRateLimitHeaders(c, await limitAction(c.env.DB, 'webhooks', userId, now()))
  const { senderContext } = await import('../send-webhooks.ts')
  const { testWebhook } = await import('../test-webhook.ts')
  return c.json(await testWebhook(senderContext(c.env, now), userId, c.req.param('id')))
})

webhook.post('/:id/resume', requireToken(), async (c) => {
  if (!(await resumeWebhook(c.env.DB, c.get('caller').userId, c.req.param('id'), now()))) throw noSuch()
  return c.body(null, 204)
})

webhook.delete('/:id', requireToken(), async (c) => {
  if (!(await deleteWebhook(c.env.DB, c.get('caller').userId, c.req.param('id'), now()))) throw noSuch()
  return c.body(null, 204)
})
