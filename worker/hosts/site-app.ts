import { Hono } from 'hono'
import { readConfig } from '../config/read-config.ts'
import { answerError } from '../http/answer-error.ts'
import type { AppEnv } from '../http/app-env.ts'
import { AppError } from '../http/errors.ts'
import { answerSite, nothingHere, secureLocation } from '../sites/answer-site.ts'
import { clientUrl } from './classify-host.ts'
import { isReservedPath } from './finish-site-response.ts'

/** `<object_id>.<storage host>` and domains of users: one item, on an origin of its own. */
export const site = new Hono<AppEnv>()

site.all('*', async (c) => {
  const config = readConfig(c.env)
  c.set('config', config)
  const secure = secureLocation(c.req.raw, config)
  if (secure) return c.body(null, 308, { Location: secure })
  // Nothing answers there by any method: an Allow would promise otherwise.
  if (isReservedPath(clientUrl(c.req.raw, config).pathname)) throw nothingHere()
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') {
    throw new AppError(405, 'method_not_allowed', 'A site answers GET, HEAD.', { headers: { Allow: 'GET, HEAD' } })
  }
  return await answerSite(c)
})

site.onError((error, c) => answerError(error, c))
