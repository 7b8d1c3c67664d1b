import { Hono } from 'hono'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import { now } from '../../../platform/clock.ts'
import { payChain } from '../../../platform/config/pay-chain.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'
import { itemJson } from '../../items/item-json.ts'
import type { PublishedItem } from '../../items/sql/items.ts'
import { retryItem } from '../../writer/retry-item.ts'
import { recordAct } from './record-act.ts'

/** POST /v0/item/<id>/retry: an operator lets a stopped item go on. */
export const itemRetry = new Hono<AppEnv>()

itemRetry.post('/:id/retry', requireToken('operate'), idempotent(), async (c) => {
  const answerOf = (going: PublishedItem) => itemJson(going, c.get('config'))
  const record = (going: PublishedItem) =>
    recordAct(
      c,
      { account: going.userId, act: 'item.retried', subject: `item:${going.id}` },
      { status: 202, body: answerOf(going) },
    )
  const retried = await retryItem(c.env.DB, c.req.param('id'), record, now())
  wakeAgent(c, payChain(retried.blockchain, c.get('config')))
  return c.json(answerOf(retried), 202)
})
