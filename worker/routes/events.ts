import { Hono } from 'hono'
import { requireToken } from '../auth/require-token.ts'
import { onlyMethod } from '../http/allowed-methods.ts'
import type { AppEnv } from '../http/app-env.ts'

/** /v0/events: what happens to the caller's items and payments, as it happens. */
export const events = new Hono<AppEnv>()

events.get('/', onlyMethod('GET'), requireToken(), async (c) => {
  const { openStream } = await import('../events/open-stream.ts')
  return await openStream(c.env.DB, c.get('config'), c.get('caller'), c.req.header('Last-Event-ID'))
})
