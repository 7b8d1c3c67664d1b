import { Hono } from 'hono'
import { answerGet } from '../../../content/chain/answer-content.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidField } from '../../../platform/http/errors.ts'

/** GET /v0/chunk/<blockchain>/<txid> */
export const chunk = new Hono<AppEnv>()

chunk.get('/:blockchain/:txid', async (c) => {
  const { blockchain, txid } = c.req.param()
  if (txid.includes(',')) throw invalidField('txid', 'must be one transaction id.')
  return await answerGet(c, 'chunk', blockchain, txid)
})
