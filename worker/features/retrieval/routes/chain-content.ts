import { Hono } from 'hono'
import { answerGet, answerPath, answerPost } from '../../../content/chain/answer-content.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidField } from '../../../platform/http/errors.ts'

/**
 * POST /v0/web, GET /v0/web/<blockchain>/<txids>[/<path>]; POST /v0/tx, GET /v0/tx/<blockchain>/<txids>;
 * GET /v0/chunk/<blockchain>/<txid>; GET /v0/proof/<blockchain>/<txids>
 */
export const chainContent = new Hono<AppEnv>()

chainContent.post('/web', (c) => answerPost(c, 'web'))
chainContent.get('/web/:blockchain/:txids', (c) => answerGet(c, 'web', c.req.param('blockchain'), c.req.param('txids')))
chainContent.get('/web/:blockchain/:txids/*', (c) => answerPath(c, c.req.param('blockchain'), c.req.param('txids')))

chainContent.post('/tx', (c) => answerPost(c, 'tx'))
chainContent.get('/tx/:blockchain/:txids', (c) => answerGet(c, 'tx', c.req.param('blockchain'), c.req.param('txids')))

chainContent.get('/proof/:blockchain/:txids', async (c) => {
  const { answerProof } = await import('../proof/answer-proof.ts')
  return await answerProof(c)
})

chainContent.get('/chunk/:blockchain/:txid', async (c) => {
  const { blockchain, txid } = c.req.param()
  if (txid.includes(',')) throw invalidField('txid', 'must be one transaction id.')
  return await answerGet(c, 'chunk', blockchain, txid)
})
