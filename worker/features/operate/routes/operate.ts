import { type Context, Hono } from 'hono'
import type { AuditAct } from '../../../../contract/audit-acts.ts'
import type { NewWithdrawal } from '../../../../contract/payment.ts'
import { formatAmount } from '../../../../protocol/amount.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import { now, unixSeconds } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { coinsJson } from '../../../platform/http/coins-json.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { JSON_TYPE } from '../../../platform/http/media-types.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { type IdempotentEnv, idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireRecentLogin } from '../../auth/require-recent-login.ts'
import { type CallerEnv, requireToken } from '../../auth/require-token.ts'
import { type PaymentContext, requestContext, withWallet } from '../../payments/payment-context.ts'
import type { Consolidation } from '../../writer/consolidate-coins.ts'
import type { PaidOut, RecordPaidOut } from '../pay-out.ts'
import type { WrittenOff } from '../write-off-deposit.ts'

const schemas = () => import('../../../../contract/operate.ts')

/** /v0/operate: what an operator sees and does by hand. Its parts are loaded when they are requested. */
export const operate = new Hono<AppEnv>()

operate.get('/health', requireToken('operate'), async (c) => {
  const { operateHealth } = await import('../operate-health.ts')
  return c.body(await operateHealth(c.env, now()), 200, { 'Content-Type': JSON_TYPE })
})

operate.get('/set-aside', requireToken('operate'), async (c) => {
  const { waitingRecords } = await import('../waiting-records.ts')
  return c.json(await waitingRecords(c.env.DB, c.req.query('cursor')))
})

operate.post('/set-aside/:id', requireToken('operate'), idempotent(), async (c) => {
  const { decideRecord, findRecord } = await import('../decide-record.ts')
  const { recordJson } = await import('../waiting-records.ts')
  const { action, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'RecordDecision')
  const found = await findRecord(c.env.DB, c.req.param('id'))
  const answer = { ...recordJson(found), actions: [] }
  const act = action === 'close' && found.kind !== 'lane' ? 'record.closed' : ACTS[action]
  const record = recorder(c, act, `record:${c.req.param('id')}`, reason, answer)
  await decideRecord({ db: c.env.DB, config: c.get('config'), now: now(), record }, found, action)
  wakeAgent(c.env, found.blockchain, (work) => c.executionCtx.waitUntil(work))
  return c.json(answer)
})

operate.post(
  '/credit',
  requireToken('operate'),
  requireRecentLogin(),
  idempotent(BODY_LIMIT.account, { required: true }),
  async (c) => {
    const { creditByHand } = await import('../credit-by-hand.ts')
    const { reason, ...order } = await readRequest(c, BODY_LIMIT.account, schemas, 'Credit')
    const { blockchain } = order
    // By its id, also where it was named by its address: the log is stored for ever.
    const answerOf = (account: string) => ({ account, blockchain, amount: formatAmount(order.amount) })
    const record = (more: Recorded & { account: string }) =>
      recorder(
        c,
        'payment.credited',
        `account:${more.account}`,
        reason,
        answerOf(more.account),
      )({ ...more, unbacked: order.unbacked && order.amount > 0n })
    const { account } = await creditByHand({ ...requestContext(c.env.DB, c.get('config')), record }, order)
    return c.json(answerOf(account))
  },
)

operate.get('/deposit', requireToken('operate'), async (c) => {
  const { lostDeposits } = await import('../list-lost-deposits.ts')
  return c.body(await lostDeposits(requestContext(c.env.DB, c.get('config'))), 200, { 'Content-Type': JSON_TYPE })
})

operate.post('/deposit/:id/write-off', requireToken('operate'), requireRecentLogin(), idempotent(), async (c) => {
  const { writeOffDeposit } = await import('../write-off-deposit.ts')
  const { reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'WriteOff')
  const id = c.req.param('id')
  const actor = c.get('caller').userId
  const answerOf = ({ account, blockchain, amount, loss }: WrittenOff) =>
    coinsJson({ id, account, blockchain }, { amount, loss })
  const made = await writeOffDeposit(requestContext(c.env.DB, c.get('config')), id, (made) => {
    const { account, blockchain, amount } = made
    const entry = { at: now(), actor, account, act: 'deposit.written_off', subject: `output:${id}`, reason } as const
    return [
      insertAuditStatement(c.env.DB, { ...entry, blockchain, amount: -amount }),
      ...c.get('record')({ status: 200, json: answerOf(made) }),
    ]
  })
  return c.body(answerOf(made), 200, { 'Content-Type': JSON_TYPE })
})

operate.post('/rewind', requireToken('operate'), idempotent(), async (c) => {
  const { rewindScan } = await import('../rewind-scan.ts')
  const given = await readRequest(c, BODY_LIMIT.account, schemas, 'Rewind')
  const { blockchain, height, reason } = given
  if (given.acceptChain) {
    const { acceptChain } = await import('../accept-chain.ts')
    const context = requestContext(c.env.DB, c.get('config'))
    const first = await acceptChain(context, blockchain, height, ({ height, hash }) =>
      recorder(c, 'chain.accepted', `block:${height}:${hash}`, reason, { blockchain, height })({ blockchain }),
    )
    wakeAgent(c.env, blockchain, (work) => c.executionCtx.waitUntil(work))
    return c.json({ blockchain, height: first.height }, 202)
  }
  const answer = { blockchain, height: height ?? null }
  const record = recorder(c, 'scan.rewound', `block:${height ?? 'first'}`, reason, answer)
  await rewindScan(c.env.DB, blockchain, height, () => record({ blockchain }))
  wakeAgent(c.env, blockchain, (work) => c.executionCtx.waitUntil(work))
  return c.json(answer, 202)
})

operate.post('/consolidate', requireToken('operate'), idempotent(), async (c) => {
  const { consolidateCoins } = await import('../../writer/consolidate-coins.ts')
  const { blockchain, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'Consolidation')
  const record = consolidationRecorder(c, blockchain, reason)
  const context = requestContext(c.env.DB, c.get('config'))
  const made = await withWallet(context, blockchain, (rpc) =>
    consolidateCoins({ ...context, blockchain, bucket: c.env.BUCKET, rpc }, { atOnce: true, record }),
  )
  if (!made)
    throw new AppError(
      409,
      'nothing_to_gather',
      'There are no two free coins worth consolidating at the fee rate of now.',
    )
  wakeAgent(c.env, blockchain, (work) => c.executionCtx.waitUntil(work))
  return c.body(consolidationJson(blockchain, made), 202, { 'Content-Type': JSON_TYPE })
})

operate.get('/sweep', requireToken('operate'), async (c) => {
  const { SERVICE } = await import('../../withdrawals/end-withdrawal.ts')
  return answerPaidOut(c, SERVICE)
})

operate.post('/sweep', requireToken('operate'), requireRecentLogin(), idempotent(), async (c) => {
  const { wallet, ...given } = await readRequest(c, BODY_LIMIT.account, schemas, 'Sweep')
  return answerPayOut(c, 'coins.swept', given, async (context, order, record) => {
    const { sweepCoins } = await import('../pay-out.ts')
    return await sweepCoins(context, { ...order, wallet }, record)
  })
})

operate.get('/pay-out', requireToken('operate'), async (c) => {
  const { account } = await parseAs(c.req.query(), schemas, 'PaidOutQuery')
  return answerPaidOut(c, account)
})

operate.post('/pay-out', requireToken('operate'), requireRecentLogin(), idempotent(), async (c) => {
  const { account, ...given } = await readRequest(c, BODY_LIMIT.account, schemas, 'HeldPayOut')
  return answerPayOut(c, 'balance.paid_out', given, async (context, order, record) => {
    const { payOutHeld } = await import('../pay-out.ts')
    return await payOutHeld(context, account, order, record)
  })
})

operate.get('/reconciliation', requireToken('operate'), async (c) => {
  const { differenceOf, readReconciliations } = await import('../reconcile.ts')
  const found = await readReconciliations(c.env.DB, c.get('config'), now())
  const rows = found.map((one) => {
    const { blockchain, readAt, differsSince: _, ...amounts } = one
    return coinsJson({ blockchain, readAt: unixSeconds(readAt) }, { ...amounts, difference: differenceOf(one) })
  })
  return c.body(`{"chains":[${rows.join()}]}`, 200, { 'Content-Type': JSON_TYPE })
})

const ACTS = {
  retry: 'record.retried',
  settle: 'payment.settled',
  credit: 'payment.credited',
  close: 'lane.closed',
} as const satisfies Record<string, AuditAct>

/** The answer to a request that made one coin of several, as JSON text. */
function consolidationJson(blockchain: Blockchain, { coins, value, fee }: Consolidation): string {
  return coinsJson({ blockchain, coins }, { value, fee })
}

function consolidationRecorder(c: Context<IdempotentEnv>, blockchain: Blockchain, reason: string) {
  const actor = c.get('caller').userId
  const keep = c.get('record')
  return (made: Consolidation) => {
    const entry = { at: now(), actor, act: 'coins.consolidated', blockchain, amount: made.value } as const
    return [
      insertAuditStatement(c.env.DB, { ...entry, subject: `coins:${made.coins}`, reason }),
      ...keep({ status: 202, json: consolidationJson(blockchain, made) }),
    ]
  }
}

/** The answer to a request that paid money out, as JSON text. */
function paidOutJson({ blockchain, address }: NewWithdrawal, { id, amount, fee }: PaidOut): string {
  return coinsJson({ id, blockchain, address }, { amount, fee })
}

type PayOut = (context: PaymentContext, order: NewWithdrawal, record: RecordPaidOut) => Promise<PaidOut>

/** Pays out; 202 with what the chain's agent sends next. */
async function answerPayOut(
  c: Context<IdempotentEnv>,
  act: AuditAct,
  { reason, ...given }: NewWithdrawal & { reason: string },
  payOut: PayOut,
) {
  const { checkWithdrawal } = await import('../../withdrawals/check-withdrawal.ts')
  const order = checkWithdrawal(given)
  const record = paidOutRecorder(c, act, order, reason)
  const paid = await payOut(requestContext(c.env.DB, c.get('config')), order, record)
  wakeAgent(c.env, order.blockchain, (work) => c.executionCtx.waitUntil(work))
  return c.body(paidOutJson(order, paid), 202, { 'Content-Type': JSON_TYPE })
}

/** A page of what was sent for an account, or for the service itself. */
async function answerPaidOut(c: Context<CallerEnv>, userId: string) {
  const { withdrawalPage } = await import('../../withdrawals/list-withdrawals.ts')
  const page = await withdrawalPage(c.env.DB, userId, c.req.query('cursor'))
  return c.body(page, 200, { 'Content-Type': JSON_TYPE })
}

function paidOutRecorder(
  c: Context<IdempotentEnv>,
  act: AuditAct,
  order: NewWithdrawal,
  reason: string,
): RecordPaidOut {
  const actor = c.get('caller').userId
  const keep = c.get('record')
  const { address, blockchain, amount } = order
  const subject = `address:${address}`
  return (paid, account) => [
    insertAuditStatement(c.env.DB, { at: now(), actor, account, act, subject, reason, blockchain, amount }),
    ...keep({ status: 202, json: paidOutJson(order, paid) }),
  ]
}

interface Recorded {
  account?: string
  amount?: bigint
  blockchain: Blockchain
  unbacked?: boolean
}

/** What is written in the batch of an act: its audit entry, and its answer for the Idempotency-Key. */
function recorder(c: Context<IdempotentEnv>, act: AuditAct, subject: string, reason: string, answer: object) {
  const actor = c.get('caller').userId
  const keep = c.get('record')
  return (more: Recorded) => [
    insertAuditStatement(c.env.DB, { at: now(), actor, act, subject, reason, ...more }),
    ...keep({ status: c.req.path.endsWith('/rewind') ? 202 : 200, body: answer }),
  ]
}
