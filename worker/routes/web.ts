import { Hono } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { answerGet, answerPost } from '../retrieval/answer-content.ts'

/** POST /v0/web, GET /v0/web/<blockchain>/<txids> */
export const web = new Hono<AppEnv>()

web.post('/', (c) => answerPost(c, 'web'))
web.get('/:blockchain/:txids', (c) => answerGet(c, 'web', c.req.param('blockchain'), c.req.param('txids')))
