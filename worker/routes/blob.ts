import { Hono } from 'hono'
import type { AppEnv } from '../app.ts'
import { AppError } from '../errors.ts'
import { limitRequest } from '../limit-requests.ts'
import { answerPost } from '../retrieval/answer-content.ts'
import { findStoredItem } from '../retrieval/find-stored-item.ts'
import { IMMUTABLE, nothingFound, SANDBOX } from '../retrieval/prepare-answer.ts'

/** POST /v0/blob, HEAD /v0/blob/<object_id> */
export const blob = new Hono<AppEnv>()

blob.post('/', (c) => answerPost(c, 'blob'))

// Hono hands HEAD to the GET route.
blob.get('/:id', async (c) => {
  if (c.req.method !== 'HEAD') {
    throw new AppError(405, 'method_not_allowed', 'This path answers HEAD. POST /v0/blob gives the blob itself.', {
      headers: { Allow: 'HEAD' },
    })
  }
  await limitRequest(c)
  const item = await findStoredItem(c.env, c.executionCtx, c.req.param('id'))
  if (!item) return nothingFound()
  const bytes = item.blockchain === 'IPFS' ? item.size : item.storedSize
  return new Response(null, {
    headers: {
      'Content-Type': item.mimetype,
      'Content-Length': String(2 * bytes),
      'Cache-Control': IMMUTABLE,
      'Content-Security-Policy': SANDBOX,
    },
  })
})
