import { Hono } from 'hono'
import { answerGet, answerPost } from '../../../content/chain/answer-content.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'

/** POST /v0/tx, GET /v0/tx/<blockchain>/<txids> */
export const tx = new Hono<AppEnv>()

tx.post('/', (c) => answerPost(c, 'tx'))
tx.get('/:blockchain/:txids', (c) => answerGet(c, 'tx', c.req.param('blockchain'), c.req.param('txids')))
