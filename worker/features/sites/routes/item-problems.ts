import { Hono } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { requireToken } from '../../auth/require-token.ts'

/** GET /v0/item/<id>/problems: the faulty lines of a site that is stored, or merged. */
export const itemProblems = new Hono<AppEnv>()

itemProblems.get('/:id/problems', requireToken('store'), async (c) => {
  const { findProblems } = await import('../find-problems.ts')
  return c.json(await findProblems(c.env, c.get('caller').userId, c.req.param('id')))
})
