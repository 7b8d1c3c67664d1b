import { Hono } from 'hono'
import { answerGet, answerPath, answerPost } from '../../../content/chain/answer-content.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'

/** POST /v0/web, GET /v0/web/<blockchain>/<txids>[/<path>] */
export const web = new Hono<AppEnv>()

web.post('/', (c) => answerPost(c, 'web'))
web.get('/:blockchain/:txids', (c) => answerGet(c, 'web', c.req.param('blockchain'), c.req.param('txids')))
web.get('/:blockchain/:txids/*', (c) => answerPath(c, c.req.param('blockchain'), c.req.param('txids')))
