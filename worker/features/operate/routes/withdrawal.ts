import { Hono } from 'hono'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'

const schemas = () => import('../../../../contract/operate.ts')

/** POST /v0/operate/withdrawal/<id>: an operator lets a withdrawal go, or ends it. */
export const operateWithdrawal = new Hono<AppEnv>()

operateWithdrawal.post('/:id', requireToken('operate'), idempotent(), async (c) => {
  const { decideWithdrawal } = await import('../decide-withdrawal.ts')
  const { readWithdrawal } = await import('../../withdrawals/list-withdrawals.ts')
  const { act, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'WithdrawalDecision')
  const id = c.req.param('id')
  const { requireWithdrawal } = await import('../../withdrawals/end-withdrawal.ts')
  const { requestRestore } = await import('../../withdrawals/notice-restore.ts')
  const { blockchain } = await requireWithdrawal(c.env.DB, id)
  await requestRestore(c.env, blockchain)
  const at = now()
  const decided = await decideWithdrawal(
    {
      db: c.env.DB,
      bucket: c.env.BUCKET,
      now: at,
      record: ({ userId: account, blockchain, amount }) => [
        insertAuditStatement(c.env.DB, {
          ...{ at, actor: c.get('caller').userId, account, blockchain, amount },
          ...{ act: 'withdrawal.decided', subject: `withdrawal:${id}`, reason: `${act}: ${reason}` },
        }),
      ],
    },
    id,
    act,
  )
  wakeAgent(c.env, blockchain, (work) => c.executionCtx.waitUntil(work))
  return c.body(await readWithdrawal(c.env.DB, decided.userId, id), 200, { 'Content-Type': JSON_TYPE })
})
