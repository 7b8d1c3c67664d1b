import { Hono } from 'hono'
import { enterInTurn } from '../../../content/ipfs/blocks/enter-in-turn.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { limitRequest } from '../../../platform/http/limit-requests.ts'
import { SANDBOX } from '../../../platform/http/policies.ts'
import { serverTiming } from '../../../platform/http/server-timing.ts'
import { answerIpfsItem } from '../content/answer-ipfs-item.ts'
import { answerItem } from '../content/answer-item.ts'
import { findStoredItem } from '../content/find-stored-item.ts'

/** GET /v0/content/<object_id> */
export const content = new Hono<AppEnv>()

content.get('/:id', async (c) => {
  await limitRequest(c)
  const item = await findStoredItem(c.env, c.executionCtx, c.req.param('id'))
  if (!item) {
    throw new AppError(404, 'not_found', 'There is no item with this object id, or it is not stored yet.', {
      headers: { 'Server-Timing': serverTiming('miss') },
    })
  }
  const { cid } = item
  if (cid !== undefined) {
    return await enterInTurn(c.executionCtx, () => answerIpfsItem(c, { ...item, cid }))
  }
  return await answerItem(c, item, { 'Content-Security-Policy': SANDBOX })
})
