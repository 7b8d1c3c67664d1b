import { Hono } from 'hono'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import { now } from '../../../platform/clock.ts'
import { payChain } from '../../../platform/config/pay-chain.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'
import { itemJson } from '../../items/item-json.ts'
import type { PublishedItem } from '../../items/sql/items.ts'
import { retryItem } from '../../writer/retry-item.ts'

/** POST /v0/item/<id>/retry: an operator lets a stopped item go on. */
export const itemRetry = new Hono<AppEnv>()

itemRetry.post('/:id/retry', requireToken('operate'), idempotent(), async (c) => {
  const at = now()
  const record = (going: PublishedItem) => [
    insertAuditStatement(c.env.DB, {
      ...{ at, actor: c.get('caller').userId, account: going.userId },
      ...{ act: 'item.retried', subject: `item:${going.id}` },
    }),
    ...c.get('record')({ status: 202, body: itemJson(going, c.get('config')) }),
  ]
  const retried = await retryItem(c.env.DB, c.req.param('id'), record, at)
  const chain = payChain(retried.blockchain, c.get('config'))
  wakeAgent(c.env, chain, (work) => c.executionCtx.waitUntil(work))
  return c.json(itemJson(retried, c.get('config')), 202)
})
