import { Hono } from 'hono'
import { answerAsset } from '../answer-asset.ts'
import type { AppEnv } from '../app-env.ts'
import { framePage } from '../hook-assets.ts'

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
