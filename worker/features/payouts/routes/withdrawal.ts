import { Hono } from 'hono'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireRecentLogin } from '../../auth/require-recent-login.ts'
import { requireToken } from '../../auth/require-token.ts'
import { requestContext } from '../../payments/payment-context.ts'
import { readWithdrawal } from '../ask/list-withdrawals.ts'

const schemas = () => import('../../../../contract/payment.ts')

/** /v0/withdrawal: money out of a balance. */
export const withdrawal = new Hono<AppEnv>()

withdrawal.post(
  '/',
  requireToken('pay'),
  requireRecentLogin(),
  idempotent(BODY_LIMIT.account, { required: true }),
  async (c) => {
    const { checkWithdrawal } = await import('../ask/check-withdrawal.ts')
    const { createWithdrawal } = await import('../ask/create-withdrawal.ts')
    const order = checkWithdrawal(await readRequest(c, BODY_LIMIT.account, schemas, 'NewWithdrawal'))
    const context = requestContext(c.env.DB, c.get('config'))
    const answer = await createWithdrawal(context, c.get('caller').userId, order, c.get('record'))
    wakeAgent(c, order.blockchain)
    return sendJson(c, answer, 201)
  },
)

withdrawal.get('/', requireToken('pay'), async (c) => {
  const { withdrawalPage } = await import('../ask/list-withdrawals.ts')
  const page = await withdrawalPage(c.env.DB, c.get('caller').userId, c.req.query('cursor'))
  return sendJson(c, page)
})

withdrawal.get('/fee', requireToken('pay'), async (c) => {
  const { quoteWithdrawal } = await import('../ask/quote-withdrawal.ts')
  const { blockchain } = await parseAs(c.req.query(), schemas, 'FeeQuery')
  const context = requestContext(c.env.DB, c.get('config'))
  const quote = await quoteWithdrawal(context, c.get('caller').userId, blockchain)
  return sendJson(c, quote)
})

withdrawal.delete('/:id', requireToken('pay'), async (c) => {
  const { cancelWithdrawal, requireWithdrawal } = await import('../end/end-withdrawal.ts')
  const { requestRestore } = await import('../restore/notice-restore.ts')
  const id = c.req.param('id')
  const { userId } = c.get('caller')
  const { blockchain } = await requireWithdrawal(c.env.DB, id, userId)
  const noticeRestore = async () => await requestRestore(c.env, blockchain)
  await noticeRestore()
  const context = { ...requestContext(c.env.DB, c.get('config')), bucket: c.env.BUCKET, noticeRestore }
  await cancelWithdrawal(context, userId, id)
  wakeAgent(c, blockchain)
  return sendJson(c, await readWithdrawal(c.env.DB, userId, id))
})

withdrawal.post('/:id/fee', requireToken('pay'), requireRecentLogin(), idempotent(), async (c) => {
  const { consentToFee } = await import('../ask/consent-to-fee.ts')
  const { maxFee } = await readRequest(c, BODY_LIMIT.account, schemas, 'FeeConsent')
  const id = c.req.param('id')
  const { userId } = c.get('caller')
  const context = requestContext(c.env.DB, c.get('config'))
  const { blockchain } = await consentToFee(context, userId, { id, maxFee })
  wakeAgent(c, blockchain)
  return sendJson(c, await readWithdrawal(c.env.DB, userId, id))
})
