import { Hono } from 'hono'
import { STOP_PARTS } from '../../../../contract/states.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { coinsJson, listJson } from '../../../platform/http/coins-json.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'
import { requestContext } from '../../payments/payment-context.ts'
import type { Withdrawal } from '../../payouts/sql/withdrawals.ts'
import { auditAct } from './record-act.ts'

const schemas = () => import('../../../../contract/operate.ts')
/** Maximum number of sends in a response. */
const MAX_SENDS = 100

/**
 * What an operator decides about payouts, under /v0/operate: those that are stopped, held or to be ended, and what left the wallet without being in the database.
 */
export const operatePayouts = new Hono<AppEnv>()

operatePayouts.put('/stop/:blockchain', requireToken('operate'), async (c) => {
  const { requireAssigned, stopChain, stopJson } = await import('../stop-chain.ts')
  const order = await readRequest(c, BODY_LIMIT.account, schemas, 'PayoutStop')
  const { blockchain } = await parseAs(c.req.param(), schemas, 'StopPath')
  if (!order.payouts) {
    const { requestRestore } = await import('../../payouts/restore/notice-restore.ts')
    const noticeRestore = async () => await requestRestore(c.env, blockchain)
    await requireAssigned({ db: c.env.DB, noticeRestore }, blockchain)
  }
  const parts = STOP_PARTS.filter((part) => order[part])
  const act = parts.length > 0 ? 'chain.stopped' : 'chain.released'
  const subject = `part:${parts.join('+') || 'none'}`
  const record = () => [auditAct(c, { act, subject, reason: order.reason, blockchain })]
  const stops = await stopChain({ db: c.env.DB, now: now(), record }, blockchain, order)
  wakeAgent(c, blockchain)
  return c.json({ blockchain, stops: stops.map(stopJson) })
})

operatePayouts.post('/withdrawal/:id', requireToken('operate'), idempotent(), async (c) => {
  const { decideWithdrawal } = await import('../decide-withdrawal.ts')
  const { readWithdrawal } = await import('../../payouts/ask/list-withdrawals.ts')
  const { act, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'WithdrawalDecision')
  const id = c.req.param('id')
  const { requireWithdrawal } = await import('../../payouts/end/end-withdrawal.ts')
  const { requestRestore } = await import('../../payouts/restore/notice-restore.ts')
  const { blockchain } = await requireWithdrawal(c.env.DB, id)
  const noticeRestore = async () => await requestRestore(c.env, blockchain)
  await noticeRestore()
  const record = ({ userId: account, blockchain, amount }: Withdrawal) => [
    auditAct(c, {
      ...{ act: 'withdrawal.decided', subject: `withdrawal:${id}`, reason: `${act}: ${reason}` },
      ...{ account, blockchain, amount },
    }),
  ]
  const asked = requestContext(c.env.DB, c.get('config'))
  const context = { ...asked, bucket: c.env.BUCKET, noticeRestore, record }
  const decided = await decideWithdrawal(context, id, act)
  wakeAgent(c, blockchain)
  return sendJson(c, await readWithdrawal(c.env.DB, decided.userId, id))
})

operatePayouts.get('/send', requireToken('operate'), async (c) => {
  const { describeRecord, sendFields } = await import('../../payouts/restore/assign-send.ts')
  const { selectUnassigned } = await import('../../transactions/sql/sends.ts')
  const { getPayoutRecord } = await import('../../payouts/record/payout-records.ts')
  const texts: string[] = []
  for (const send of await selectUnassigned(c.env.DB, MAX_SENDS)) {
    const found = await getPayoutRecord(c.env.BUCKET, send.blockchain, send.txid)
    texts.push(coinsJson({ ...sendFields(send), record: describeRecord(found) }, { amount: send.amount }))
  }
  return sendJson(c, listJson('sends', texts))
})

operatePayouts.post('/send/:txid', requireToken('operate'), idempotent(), async (c) => {
  const { assignSend, sendFields } = await import('../../payouts/restore/assign-send.ts')
  const { as, account, amount, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'SendAssignment')
  const txid = c.req.param('txid').toLowerCase()
  const { requestRestore } = await import('../../payouts/restore/notice-restore.ts')
  const noticeRestore = async (blockchain: Blockchain) => await requestRestore(c.env, blockchain)
  const context = { ...requestContext(c.env.DB, c.get('config')), bucket: c.env.BUCKET, noticeRestore }
  const assigned = await assignSend(context, txid, { as, account, amount }, (send) => [
    auditAct(c, {
      ...{ act: 'send.assigned', subject: `transaction:${txid}`, reason: `${as}: ${reason}` },
      ...{ account: send.account, blockchain: send.blockchain, amount: send.amount },
    }),
  ])
  wakeAgent(c, assigned.blockchain)
  const { loss, amount: sent } = assigned
  return sendJson(c, coinsJson({ ...sendFields(assigned), record: null }, { amount: sent, loss }))
})
