import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { requireToken } from '../../auth/require-token.ts'

/** POST /v0/item/<id>/take-down: what its owner no longer wants to be served. */
export const itemTakeDown = new Hono<AppEnv>()

itemTakeDown.post('/:id/take-down', requireToken('store'), async (c) => {
  const { takeDown } = await import('../take-down.ts')
  await takeDown(c.env.DB, c.get('caller').userId, c.req.param('id'), now())
  return c.body(null, 204)
})
