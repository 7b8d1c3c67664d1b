import { Hono } from 'hono'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import { denylist, refuseDenied } from '../../../content/denylist/denylist.ts'
import { payChain } from '../../../platform/config/pay-chain.ts'
import { onlyMethod } from '../../../platform/http/allowed-methods.ts'
import { answerTable } from '../../../platform/http/answer-table.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { coinsJson } from '../../../platform/http/coins-json.ts'
import { prefersCsv } from '../../../platform/http/csv.ts'
import { setRateLimitHeaders } from '../../../platform/http/limit-requests.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'
import { cancelRequest } from '../cancel-request.ts'
import { confirmationsFor } from '../confirmations-above.ts'
import { createAddress } from '../create-address.ts'
import { openRequest } from '../open-request.ts'
import { requestContext } from '../payment-context.ts'
import { paymentJson } from '../payment-json.ts'
import { readPayment } from '../read-payment.ts'

const schemas = () => import('../../../../contract/payment.ts')

/** /v0/payment: addresses, requests for payment, cancelling. */
export const payment = new Hono<AppEnv>()

payment.get('/', requireToken('pay'), async (c) => {
  const { address, kind, cursor } = await parseAs(c.req.query(), schemas, 'PaymentQuery')
  const { userId } = c.get('caller')
  const config = c.get('config')
  if (address !== undefined) {
    return sendJson(c, await readPayment(c.env.DB, config, userId, address))
  }
  const { paymentPage, paymentTable } = await import('../list-payments.ts')
  if (prefersCsv(c.req.header('Accept'))) {
    return answerTable(c, 'payments', await paymentTable(c.env.DB, config, { userId, kind, cursor }))
  }
  const page = await paymentPage(c.env.DB, config, { userId, kind, cursor })
  return c.body(page, 200, { 'Content-Type': JSON_TYPE, Vary: 'Accept' })
})

// Only for GET: the response to HEAD has no body, so an address would be made for nothing.
payment.get('/:blockchain', onlyMethod('GET'), requireToken('pay'), async (c) => {
  const { blockchain: target } = await parseAs(c.req.param(), schemas, 'TargetPath')
  const context = requestContext(c.env.DB, c.get('config'))
  const { address, left } = await createAddress(context, c.get('caller').userId, target)
  setRateLimitHeaders(c, left)
  const config = c.get('config')
  const blockchain = payChain(target, config)
  wakeAgent(c, blockchain)
  const body = coinsJson({ address }, { minDeposit: config.chains[blockchain].minDeposit })
  return sendJson(c, body)
})

payment.post('/', requireToken('pay'), idempotent(BODY_LIMIT.retrieval), async (c) => {
  const { blockchain: target, ids, maxFromBalance } = await readRequest(c, BODY_LIMIT.retrieval, schemas, 'NewPayment')
  // Nobody pays for what would not be served, and the service's wallet does not write it.
  const denied = await denylist(c.env, c.executionCtx)
  for (const item of ids) refuseDenied(denied, { item })
  const config = c.get('config')
  const { userId, key } = c.get('caller')
  const order = { userId, target, ids, key, maxFromBalance }
  const outcome = await openRequest(requestContext(c.env.DB, config), order)
  wakeAgent(c, payChain(target, config))
  if (outcome.state === 'paid') return c.json({ message: outcome.message })
  const { amount, blockchain } = outcome.request
  const confirmations = confirmationsFor(amount, config.chains[blockchain])
  const body = paymentJson(outcome.request, outcome.received, confirmations)
  return sendJson(c, body, 402)
})

payment.delete('/', requireToken('pay'), async (c) => {
  const { address } = await readRequest(c, BODY_LIMIT.retrieval, schemas, 'PaymentAddress')
  const { kept } = await cancelRequest(requestContext(c.env.DB, c.get('config')), c.get('caller').userId, address)
  const items = kept ? 'What is paid, or waits in another request, stays.' : 'What waited for it was removed.'
  return c.json({ message: `The payment was cancelled. ${items}` })
})
