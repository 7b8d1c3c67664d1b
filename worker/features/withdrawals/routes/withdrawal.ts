import { Hono } from 'hono'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidField } from '../../../platform/http/errors.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { BODY_LIMIT, readJson } from '../../../platform/http/read-body.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireRecentLogin } from '../../auth/require-recent-login.ts'
import { requireToken } from '../../auth/require-token.ts'
import { requestContext } from '../../payments/payment-context.ts'

/** /v0/withdrawal: money out of a balance. */
export const withdrawal = new Hono<AppEnv>()

withdrawal.post('/', requireToken('pay'), requireRecentLogin(), idempotent(), async (c) => {
  const { parseWithdrawal } = await import('../parse-withdrawal.ts')
  const { createWithdrawal } = await import('../create-withdrawal.ts')
  const order = parseWithdrawal(await readJson(c, BODY_LIMIT.account))
  const context = requestContext(c.env.DB, c.get('config'))
  const answer = await createWithdrawal(context, c.get('caller').userId, order, c.get('record'))
  wakeAgent(c.env, order.blockchain, (work) => c.executionCtx.waitUntil(work))
  return c.body(answer, 201, { 'Content-Type': JSON_TYPE })
})

withdrawal.get('/', requireToken('pay'), async (c) => {
  const { withdrawalPage } = await import('../list-withdrawals.ts')
  const page = await withdrawalPage(c.env.DB, c.get('caller').userId, c.req.query('cursor'))
  return c.body(page, 200, { 'Content-Type': JSON_TYPE })
})

withdrawal.get('/fee', requireToken('pay'), async (c) => {
  const { parseChain } = await import('../parse-withdrawal.ts')
  const { quoteWithdrawal } = await import('../quote-withdrawal.ts')
  const blockchain = c.req.query('blockchain')
  if (blockchain === undefined) throw invalidField('blockchain', 'is missing.')
  const context = requestContext(c.env.DB, c.get('config'))
  const quote = await quoteWithdrawal(context, c.get('caller').userId, parseChain(blockchain))
  return c.body(quote, 200, { 'Content-Type': JSON_TYPE })
})
