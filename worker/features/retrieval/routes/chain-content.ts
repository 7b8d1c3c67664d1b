import { Hono } from 'hono'
import { answerGet, answerPath, answerPost } from '../../../content/chain/answer-content.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidField } from '../../../platform/http/errors.ts'

/** What a name of content that others wrote has, and no list of txids. */
const OTHERS_NAME = /[i:+]/

/**
 * POST /v0/web, GET /v0/web/<blockchain>/<txids>[/<path>], GET /v0/web/<blockchain>/<name>; POST /v0/tx, GET /v0/tx/<blockchain>/<txids>;
 * GET /v0/chunk/<blockchain>/<txid>; GET /v0/proof/<blockchain>/<txids>;
 * GET /v0/decode/<blockchain>/<txid>
 */
export const chainContent = new Hono<AppEnv>()

chainContent.post('/web', (c) => answerPost(c, 'web'))
chainContent.get('/web/:blockchain/:txids', async (c) => {
  const { blockchain, txids } = c.req.param()
  if (!OTHERS_NAME.test(txids)) return await answerGet(c, 'web', blockchain, txids)
  const { answerNamed } = await import('../../../content/inscriptions/answer-named.ts')
  return await answerNamed(c, blockchain, txids)
})
chainContent.get('/web/:blockchain/:txids/*', (c) => answerPath(c, c.req.param('blockchain'), c.req.param('txids')))

chainContent.post('/tx', (c) => answerPost(c, 'tx'))
chainContent.get('/tx/:blockchain/:txids', async (c) => {
  const { blockchain, txids } = c.req.param()
  if (c.req.query('any') !== '1') return await answerGet(c, 'tx', blockchain, txids)
  const { answerAnyTransactions } = await import('../any-transactions.ts')
  return await answerAnyTransactions(c)
})

chainContent.get('/proof/:blockchain/:txids', async (c) => {
  const { answerProof } = await import('../proof/answer-proof.ts')
  return await answerProof(c)
})

chainContent.get('/decode/:blockchain/:txid', async (c) => {
  const { answerDecode } = await import('../decode/answer-decode.ts')
  return await answerDecode(c)
})

chainContent.get('/chunk/:blockchain/:txid', async (c) => {
  const { blockchain, txid } = c.req.param()
  if (txid.includes(',')) throw invalidField('txid', 'must be one transaction id.')
  return await answerGet(c, 'chunk', blockchain, txid)
})
