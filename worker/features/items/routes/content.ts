import { type Context, Hono } from 'hono'
import { runInWalkSlot } from '../../../content/ipfs/blocks/walk-slots.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { limitRequest } from '../../../platform/http/limit-requests.ts'
import { SANDBOX } from '../../../platform/http/policies.ts'
import { serverTiming } from '../../../platform/http/server-timing.ts'
import { answerIpfsItem, answerItemPath } from '../content/answer-ipfs-item.ts'
import { answerItem } from '../content/answer-item.ts'
import { findStoredItem } from '../content/find-stored-item.ts'
import type { StoredItem } from '../sql/stored-items.ts'

/** GET /v0/content/<object_id>[/<path>] */
export const content = new Hono<AppEnv>()

content.get('/:id', async (c) => {
  const item = await requireStored(c)
  const { cid } = item
  if (cid !== undefined) {
    return await runInWalkSlot(c.executionCtx, () => answerIpfsItem(c, { ...item, cid }))
  }
  return await answerItem(c, item, { 'Content-Security-Policy': SANDBOX })
})

content.get('/:id/*', async (c) => {
  const item = await requireStored(c)
  const { cid } = item
  if (cid === undefined)
    throw new AppError(404, 'path_not_found', 'This item is one file, so it has no paths. Ask for the item itself.')
  const { pathname } = new URL(c.req.url)
  const linkPrefix = /^(?:\/[^/]+){3}/.exec(pathname)?.[0] ?? ''
  const path = pathname.slice(linkPrefix.length)
  return await runInWalkSlot(c.executionCtx, () => answerItemPath(c, { ...item, cid }, { linkPrefix, path }))
})

async function requireStored(c: Context<AppEnv>): Promise<StoredItem> {
  await limitRequest(c)
  const item = await findStoredItem(c.env, c.executionCtx, c.req.param('id') ?? '')
  if (item) return item
  throw new AppError(404, 'not_found', 'There is no item with this object id, or it is not stored yet.', {
    headers: { 'Server-Timing': serverTiming('miss') },
  })
}
