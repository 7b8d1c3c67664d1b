import { Hono } from 'hono'
import { type AppEnv, answerError } from '../app.ts'
import { readConfig } from '../bindings.ts'
import { AppError } from '../errors.ts'
import { limitRequest } from '../limit-requests.ts'
import { answerSite, secureLocation } from '../sites/answer-site.ts'

/** `<object_id>.<storage host>` and domains of users: one item, on an origin of its own. */
export const site = new Hono<AppEnv>()

site.all('*', async (c) => {
  const config = readConfig(c.env)
  const secure = secureLocation(c.req.raw, config)
  if (secure) return c.body(null, 308, { Location: secure })
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
    throw new AppError(405, 'method_not_allowed', 'A site answers GET, HEAD.', { headers: { Allow: 'GET, HEAD' } })
  }
  await limitRequest(c)
  return await answerSite(c.env, config, c.executionCtx, c.req.raw)
})

site.onError((error, c) => answerError(error, c))
