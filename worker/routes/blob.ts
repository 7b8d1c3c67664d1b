import { Hono } from 'hono'
import { answerPost } from '../chain-content/answer-content.ts'
import { contentKey } from '../chain-content/content-record.ts'
import { entityTag, IMMUTABLE, nothingFound, SANDBOX } from '../chain-content/prepare-answer.ts'
import type { AppEnv } from '../http/app-env.ts'
import { matchesEtag } from '../http/etag.ts'
import { limitRequest } from '../http/limit-requests.ts'
import { onlyMethod } from '../http/only-method.ts'
import { serverTiming } from '../http/server-timing.ts'
import { findStoredItem, isRemembered } from '../item-content/find-stored-item.ts'

/** POST /v0/blob, HEAD /v0/blob/<object_id> */
export const blob = new Hono<AppEnv>()

blob.post('/', (c) => answerPost(c, 'blob'))

blob.get('/:id', onlyMethod('HEAD', ' POST /v0/blob gives the blob itself.'), async (c) => {
  await limitRequest(c)
  const id = c.req.param('id')
  const tier = isRemembered(id) ? 'memory' : 'miss'
  const item = await findStoredItem(c.env, c.executionCtx, id)
  if (!item) return nothingFound()
  const { blockchain, txids } = item
  const bytes = blockchain === 'IPFS' ? item.size : item.storedSize
  const name = blockchain === 'IPFS' ? (item.cid ?? id) : entityTag(contentKey({ blockchain, txids }))
  const etag = `"${name}.hex"`
  const headers = {
    'Content-Type': item.mimetype,
    'Content-Length': String(2 * bytes),
    ETag: etag,
    'Cache-Control': IMMUTABLE,
    'Content-Security-Policy': SANDBOX,
    'Server-Timing': serverTiming(tier, 0),
  }
  const known = matchesEtag(c.req.header('If-None-Match'), etag)
  return new Response(null, { status: known ? 304 : 200, headers })
})
