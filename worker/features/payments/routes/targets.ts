import { Hono } from 'hono'
import { STORAGE_TARGETS } from '../../../../protocol/chains.ts'
import { now } from '../../../platform/clock.ts'
import { payChain } from '../../../platform/config/pay-chain.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { checkEstimate } from '../check-estimate.ts'
import { describeTarget } from '../describe-target.ts'
import { estimateJson, estimatePrice } from '../estimate-price.ts'
import { requestContext, withWallet } from '../payment-context.ts'
import { readPrices } from '../prices/read-prices.ts'
import { recentFeeRate } from '../recent-fee-rate.ts'

const schemas = () => import('../../../../contract/payment.ts')

/** GET /v0/targets, GET /v0/prices, POST /v0/estimate: where files can be stored, and what that costs at most. */
export const targets = new Hono<AppEnv>()

targets.get('/targets', async (c) => {
  const context = requestContext(c.env.DB, c.get('config'))
  return c.json({ targets: await Promise.all(STORAGE_TARGETS.map((target) => describeTarget(context, target))) })
})

targets.get('/prices', async (c) => {
  c.header('Cache-Control', 'public, max-age=60')
  return c.json(await readPrices(c.env.DB, now()))
})

targets.post('/estimate', async (c) => {
  const context = requestContext(c.env.DB, c.get('config'))
  const { config } = context
  const given = await readRequest(c, BODY_LIMIT.retrieval, schemas, 'NewEstimate')
  const { target, sizes, directory } = checkEstimate(given, config)
  const blockchain = payChain(target, config)
  const { rate, readAt } = await withWallet(context, target, (rpc) => recentFeeRate(rpc, blockchain, context.now))
  const price = estimatePrice(sizes, target, rate, config, { directory, index: given.index })
  return sendJson(c, estimateJson(price, { target, blockchain, readAt }))
})
