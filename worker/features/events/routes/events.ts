import { Hono } from 'hono'
import { onlyMethod } from '../../../platform/http/allowed-methods.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { requireToken } from '../../auth/require-token.ts'

/** /v0/events: what happens to the caller's items and payments, as it happens. */
export const events = new Hono<AppEnv>()

events.get('/', onlyMethod('GET'), requireToken(), async (c) => {
  const { openStream } = await import('../open-stream.ts')
  return await openStream(c.env.DB, c.get('config'), c.get('caller'), c.req.header('Last-Event-ID'))
})
