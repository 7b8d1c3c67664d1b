import { Hono } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { invalidField } from '../errors.ts'
import { answerGet } from '../retrieval/answer-content.ts'

/** GET /v0/chunk/<blockchain>/<txid> */
export const chunk = new Hono<AppEnv>()

chunk.get('/:blockchain/:txid', async (c) => {
  const { blockchain, txid } = c.req.param()
  if (txid.includes(',')) throw invalidField('txid', 'must be one transaction id.')
  return await answerGet(c, 'chunk', blockchain, txid)
})
