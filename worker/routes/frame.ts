import { Hono } from 'hono'
import { answerAsset } from '../hook/answer-asset.ts'
import { framePage } from '../hook/hook-assets.ts'
import type { AppEnv } from '../http/app-env.ts'

/** The page that shows verified HTML on an opaque origin. */
export const frame = new Hono<AppEnv>()

frame.get('/', (c) =>
  answerAsset(c, framePage, {
    'Content-Security-Policy': 'sandbox allow-scripts allow-forms allow-popups',
    // Long, so that a page already seen works without network; helpers of any age speak the same few messages.
    'Cache-Control': 'public, max-age=2592000',
    'Referrer-Policy': 'no-referrer',
  }),
)
