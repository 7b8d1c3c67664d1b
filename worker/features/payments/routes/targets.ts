import { type Context, Hono } from 'hono'
import { type Blockchain, STORAGE_TARGETS } from '../../../../protocol/chains.ts'
import { CALLER_TIMEOUT_MS, walletRpc } from '../../../chain/rpc/wallet-rpc.ts'
import { now } from '../../../platform/clock.ts'
import { payChain } from '../../../platform/config/pay-chain.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { checkEstimate } from '../check-estimate.ts'
import { describeTarget } from '../describe-target.ts'
import { estimateJson, estimatePrice } from '../estimate-price.ts'
import { type PaymentContext, withWallet } from '../payment-context.ts'
import { recentFeeRate } from '../recent-fee-rate.ts'

/** GET /v0/targets and POST /v0/estimate: where files can be stored, and what that costs at most. */
export const targets = new Hono<AppEnv>()

targets.get('/targets', async (c) => {
  const context = paymentContext(c)
  return c.json({ targets: await Promise.all(STORAGE_TARGETS.map((target) => describeTarget(context, target))) })
})

targets.post('/estimate', async (c) => {
  const context = paymentContext(c)
  const { config } = context
  const given = await readRequest(
    c,
    BODY_LIMIT.retrieval,
    () => import('../../../../contract/payment.ts'),
    'NewEstimate',
  )
  const { target, sizes, directory } = checkEstimate(given, config)
  const blockchain = payChain(target, config)
  const { rate, readAt } = await withWallet(context, target, (rpc) => recentFeeRate(rpc, blockchain, context.now))
  const price = estimatePrice(sizes, target, rate, config, { directory, index: given.index })
  const body = estimateJson(price, { target, blockchain, readAt })
  return c.body(body, 200, { 'Content-Type': JSON_TYPE })
})

function paymentContext(c: Context<AppEnv>): PaymentContext {
  const config = c.get('config')
  const rpcOf = (blockchain: Blockchain) => walletRpc(config.chains[blockchain], CALLER_TIMEOUT_MS)
  return { db: c.env.DB, config, rpcOf, now: now() }
}
