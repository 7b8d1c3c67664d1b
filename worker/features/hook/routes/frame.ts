import { Hono } from 'hono'
import { answerFile } from '../../../platform/http/answer-file.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { SANDBOX } from '../../../platform/http/policies.ts'

/** The page that shows verified HTML on an opaque origin. */
export const frame = new Hono<AppEnv>()

frame.get('/', async (c) => {
  const { framePage } = await import('../hook-assets.ts')
  return answerFile(c.req.raw, framePage, {
    'Content-Security-Policy': SANDBOX,
    // Long, so that a page already seen works without network; helpers of any age speak the same few messages.
    'Cache-Control': 'public, max-age=2592000',
    'Referrer-Policy': 'no-referrer',
  })
})
