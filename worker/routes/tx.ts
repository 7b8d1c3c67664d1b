import { Hono } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { answerGet, answerPost } from '../retrieval/answer-content.ts'

/** POST /v0/tx, GET /v0/tx/<blockchain>/<txids> */
export const tx = new Hono<AppEnv>()

tx.post('/', (c) => answerPost(c, 'tx'))
tx.get('/:blockchain/:txids', (c) => answerGet(c, 'tx', c.req.param('blockchain'), c.req.param('txids')))
