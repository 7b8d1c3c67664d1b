import { Hono } from 'hono'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { coinsJson } from '../../../platform/http/coins-json.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'
import { requestContext } from '../../payments/payment-context.ts'

const schemas = () => import('../../../../contract/operate.ts')

/** /v0/operate/psbt: payouts of coins whose private keys are offline, which are signed elsewhere. */
export const operatePsbt = new Hono<AppEnv>()

operatePsbt.get('/', requireToken('operate'), async (c) => {
  const { listPsbts } = await import('../../cold/list-psbts.ts')
  return c.body(await listPsbts(c.env.DB), 200, { 'Content-Type': JSON_TYPE })
})

operatePsbt.post('/:id', requireToken('operate'), idempotent(BODY_LIMIT.retrieval), async (c) => {
  const { returnPsbt } = await import('../../cold/return-psbt.ts')
  const { requireWithdrawal } = await import('../../withdrawals/end-withdrawal.ts')
  const { requestRestore } = await import('../../withdrawals/notice-restore.ts')
  const given = await readRequest(c, BODY_LIMIT.retrieval, schemas, 'SignedPsbt')
  const id = c.req.param('id')
  const { blockchain } = await requireWithdrawal(c.env.DB, id)
  await requestRestore(c.env, blockchain)
  const { handed, withdrawal } = await returnPsbt(requestContext(c.env.DB, c.get('config')), id, given, (returned) => {
    const { userId: account, amount } = returned.withdrawal
    return [
      insertAuditStatement(c.env.DB, {
        ...{ at: now(), actor: c.get('caller').userId, account, act: 'psbt.returned', blockchain, amount },
        subject: `withdrawal:${id}`,
      }),
    ]
  })
  wakeAgent(c.env, blockchain, (work) => c.executionCtx.waitUntil(work))
  const { signedTxid } = await import('../../cold/sql/psbts.ts')
  const { fee } = handed
  const { address, amount } = withdrawal
  return c.body(coinsJson({ id, blockchain, txid: signedTxid(handed), address }, { amount, fee }), 202, {
    'Content-Type': JSON_TYPE,
  })
})
