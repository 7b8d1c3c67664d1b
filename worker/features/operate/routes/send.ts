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
/** Maximum number of sends in a response. */
const MAX_SENDS = 100

/** /v0/operate/send: outgoing transactions of the wallet that are not in the database. */
export const operateSend = new Hono<AppEnv>()

operateSend.get('/', requireToken('operate'), async (c) => {
  const { describeRecord, sendFields } = await import('../assign-send.ts')
  const { selectUnassigned } = await import('../sql/sends.ts')
  const { findUnsignedRecord } = await import('../find-unsigned-record.ts')
  const { getPayoutRecord } = await import('../../wallet/payout-records.ts')
  const context = { ...requestContext(c.env.DB, c.get('config')), bucket: c.env.BUCKET }
  let nodeAnswers = true
  const texts: string[] = []
  for (const send of await selectUnassigned(c.env.DB, MAX_SENDS)) {
    let found = await getPayoutRecord(c.env.BUCKET, send.blockchain, send.txid)
    if (!found && nodeAnswers) {
      // After the first failure the node is not queried again. The list is returned without these records.
      found = await findUnsignedRecord(context, send).catch(() => {
        nodeAnswers = false
        return undefined
      })
    }
    texts.push(coinsJson({ ...sendFields(send), record: describeRecord(found) }, { amount: send.amount }))
  }
  return c.body(`{"sends":[${texts.join()}]}`, 200, { 'Content-Type': JSON_TYPE })
})

operateSend.post('/:txid', requireToken('operate'), idempotent(), async (c) => {
  const { assignSend, sendFields } = await import('../assign-send.ts')
  const { as, account, amount, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'SendAssignment')
  const txid = c.req.param('txid').toLowerCase()
  const at = now()
  const context = { ...requestContext(c.env.DB, c.get('config')), bucket: c.env.BUCKET }
  const assigned = await assignSend(context, txid, { as, account, amount }, (send) => [
    insertAuditStatement(c.env.DB, {
      ...{
        at,
        actor: c.get('caller').userId,
        account: send.account,
        act: 'send.assigned',
        subject: `transaction:${txid}`,
      },
      ...{ reason: `${as}: ${reason}`, blockchain: send.blockchain, amount: send.amount },
    }),
  ])
  wakeAgent(c.env, assigned.blockchain, (work) => c.executionCtx.waitUntil(work))
  const { loss, amount: sent } = assigned
  return c.body(coinsJson({ ...sendFields(assigned), record: null }, { amount: sent, loss }), 200, {
    'Content-Type': JSON_TYPE,
  })
})
