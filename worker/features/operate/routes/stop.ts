import { Hono } from 'hono'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { requireToken } from '../../auth/require-token.ts'
import { requestContext } from '../../payments/payment-context.ts'

const schemas = () => import('../../../../contract/operate.ts')

/** PUT /v0/operate/stop/<chain>: an operator stops payouts or writing, or lets them go on. */
export const operateStop = new Hono<AppEnv>()

operateStop.put('/:blockchain', requireToken('operate'), async (c) => {
  const { requireAssigned, stopChain, stopJson } = await import('../stop-chain.ts')
  const order = await readRequest(c, BODY_LIMIT.account, schemas, 'StopOrder')
  const { blockchain } = await parseAs(c.req.param(), schemas, 'StopPath')
  if (!order.payouts) await requireAssigned(requestContext(c.env.DB, c.get('config')), blockchain)
  const at = now()
  const parts = (['payouts', 'writing'] as const).filter((part) => order[part])
  const record = () => [
    insertAuditStatement(c.env.DB, {
      ...{ at, actor: c.get('caller').userId, reason: order.reason, blockchain },
      act: parts.length > 0 ? 'chain.stopped' : 'chain.released',
      subject: `part:${parts.join('+') || 'none'}`,
    }),
  ]
  const stops = await stopChain({ db: c.env.DB, now: at, record }, blockchain, order)
  wakeAgent(c.env, blockchain, (work) => c.executionCtx.waitUntil(work))
  return c.json({ blockchain, stops: stops.map(stopJson) })
})
