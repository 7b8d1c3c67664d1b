import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { AuditAct } from '../../../../contract/audit-acts.ts'
import type { NewWithdrawal } from '../../../../contract/payment.ts'
import { formatAmount } from '../../../../protocol/amount.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { wakeAgent } from '../../../chain/wake-agent.ts'
import { now, unixSeconds } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { coinsJson, listJson } from '../../../platform/http/coins-json.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { type IdempotentEnv, idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireRecentLogin } from '../../auth/require-recent-login.ts'
import { type CallerEnv, requireToken } from '../../auth/require-token.ts'
import { type PaymentContext, requestContext, withWallet } from '../../payments/payment-context.ts'
import type { Consolidation } from '../../transactions/sign/consolidate-coins.ts'
import { differenceOf } from '../difference-of.ts'
import type { PaidOut, RecordPaidOut } from '../pay-out.ts'
import type { WrittenOff } from '../write-off-deposit.ts'
import { recordAct } from './record-act.ts'

const schemas = () => import('../../../../contract/operate.ts')

/** /v0/operate: what an operator sees and does by hand. Its parts are loaded when they are requested. */
export const operate = new Hono<AppEnv>()

/** As `requireToken('operate')`, or `METRICS_TOKEN`. */
const operatorOrMetrics: MiddlewareHandler<CallerEnv> = async (c, next) => {
  const { hasMetricsToken } = await import('../watch-entry.ts')
  return (await hasMetricsToken(c)) ? await next() : await requireToken('operate')(c, next)
}

operate.get('/health', operatorOrMetrics, async (c) => {
  const { operateHealth } = await import('../watch-entry.ts')
  return sendJson(c, await operateHealth(c.env, now()))
})

operate.get('/failed-records', requireToken('operate'), async (c) => {
  const { listFailedRecords } = await import('../list-failed-records.ts')
  return c.json(await listFailedRecords(c.env.DB, c.req.query('cursor')))
})

operate.post('/failed-records/:id', requireToken('operate'), idempotent(), async (c) => {
  const { decideRecord, findRecord } = await import('../decide-record.ts')
  const { recordJson } = await import('../list-failed-records.ts')
  const { action, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'RecordDecision')
  const found = await findRecord(c.env.DB, c.req.param('id'))
  const answer = { ...recordJson(found), actions: [] }
  const act: AuditAct = action === 'close' && found.kind !== 'tx_chain' ? 'record.closed' : ACTS[action]
  const entry = { act, subject: `record:${c.req.param('id')}`, reason }
  const record = (more: Recorded) => recordAct(c, { ...entry, ...more }, { status: 200, body: answer })
  await decideRecord({ db: c.env.DB, config: c.get('config'), now: now(), record }, found, action)
  wakeAgent(c, found.blockchain)
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
    const entry = { act: 'payment.credited', reason, unbacked: order.unbacked && order.amount > 0n } as const
    const record = (more: Recorded & { account: string }) => {
      const { account } = more
      return recordAct(
        c,
        { ...entry, ...more, subject: `account:${account}` },
        { status: 200, body: answerOf(account) },
      )
    }
    const { account } = await creditByHand({ ...requestContext(c.env.DB, c.get('config')), record }, order)
    return c.json(answerOf(account))
  },
)

operate.get('/deposit', requireToken('operate'), async (c) => {
  const { lostDeposits } = await import('../list-lost-deposits.ts')
  return sendJson(c, await lostDeposits(requestContext(c.env.DB, c.get('config')), c.req.query('cursor')))
})

operate.post('/deposit/:id/write-off', requireToken('operate'), requireRecentLogin(), idempotent(), async (c) => {
  const { writeOffDeposit } = await import('../write-off-deposit.ts')
  const { reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'WriteOff')
  const id = c.req.param('id')
  const answerOf = ({ account, blockchain, amount, loss }: WrittenOff) =>
    coinsJson({ id, account, blockchain }, { amount, loss })
  const made = await writeOffDeposit(requestContext(c.env.DB, c.get('config')), id, (made) => {
    const { account, blockchain, amount } = made
    const entry = { act: 'deposit.written_off', subject: `output:${id}`, reason } as const
    return recordAct(c, { ...entry, account, blockchain, amount: -amount }, { status: 200, json: answerOf(made) })
  })
  return sendJson(c, answerOf(made))
})

operate.post('/rewind', requireToken('operate'), idempotent(), async (c) => {
  const { rewindScan } = await import('../rewind-scan.ts')
  const given = await readRequest(c, BODY_LIMIT.account, schemas, 'Rewind')
  const { blockchain, height, reason } = given
  if (given.acceptChain) {
    const { acceptChain } = await import('../accept-chain.ts')
    const context = requestContext(c.env.DB, c.get('config'))
    const first = await acceptChain(context, blockchain, height, ({ height, hash }) =>
      recordAct(
        c,
        { act: 'chain.accepted', subject: `block:${height}:${hash}`, reason, blockchain },
        { status: 202, body: { blockchain, height } },
      ),
    )
    wakeAgent(c, blockchain)
    return c.json({ blockchain, height: first.height }, 202)
  }
  const answer = { blockchain, height: height ?? null }
  const entry = { act: 'scan.rewound', subject: `block:${height ?? 'first'}`, reason, blockchain } as const
  await rewindScan(c.env.DB, blockchain, height, () => recordAct(c, entry, { status: 202, body: answer }))
  wakeAgent(c, blockchain)
  return c.json(answer, 202)
})

operate.post('/consolidate', requireToken('operate'), idempotent(), async (c) => {
  const { consolidateCoins } = await import('../../transactions/sign/consolidate-coins.ts')
  const { blockchain, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'Consolidation')
  const answerOf = ({ coins, value, fee }: Consolidation) => coinsJson({ blockchain, coins }, { value, fee })
  const record = (made: Consolidation) =>
    recordAct(
      c,
      { act: 'coins.consolidated', blockchain, amount: made.value, subject: `coins:${made.coins}`, reason },
      { status: 202, json: answerOf(made) },
    )
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
  wakeAgent(c, blockchain)
  return sendJson(c, answerOf(made), 202)
})

operate.get('/sweep', requireToken('operate'), async (c) => {
  const { SERVICE } = await import('../../payouts/end/end-withdrawal.ts')
  return answerPaidOut(c, SERVICE)
})

operate.post('/sweep', requireToken('operate'), requireRecentLogin(), idempotent(), async (c) => {
  const given = await readRequest(c, BODY_LIMIT.account, schemas, 'Sweep')
  return answerPayOut(c, 'coins.swept', given, async (context, order, record) => {
    const { sweepCoins } = await import('../pay-out.ts')
    return await sweepCoins(context, order, record)
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
  const { readReconciliations } = await import('../reconcile.ts')
  const found = await readReconciliations(c.env.DB, c.get('config'), now())
  const rows = found.map((one) => {
    const { blockchain, readAt, differsSince: _, ...amounts } = one
    return coinsJson({ blockchain, readAt: unixSeconds(readAt) }, { ...amounts, difference: differenceOf(one) })
  })
  return sendJson(c, listJson('chains', rows))
})

const ACTS = {
  retry: 'record.retried',
  settle: 'payment.settled',
  credit: 'payment.credited',
  close: 'tx_chain.closed',
} as const satisfies Record<string, AuditAct>

type PayOut = (context: PaymentContext, order: NewWithdrawal, record: RecordPaidOut) => Promise<PaidOut>

/** Pays out; 202 with what the chain's agent sends next. */
async function answerPayOut(
  c: Context<IdempotentEnv>,
  act: AuditAct,
  { reason, ...given }: NewWithdrawal & { reason: string },
  payOut: PayOut,
) {
  const { checkWithdrawal } = await import('../../payouts/ask/check-withdrawal.ts')
  const order = checkWithdrawal(given)
  const { blockchain, address, amount } = order
  const answerOf = ({ id, amount, fee }: PaidOut) => coinsJson({ id, blockchain, address }, { amount, fee })
  const entry = { act, subject: `address:${address}`, reason, blockchain, amount }
  const record: RecordPaidOut = (paid, account) =>
    recordAct(c, { ...entry, account }, { status: 202, json: answerOf(paid) })
  const paid = await payOut(requestContext(c.env.DB, c.get('config')), order, record)
  wakeAgent(c, blockchain)
  return sendJson(c, answerOf(paid), 202)
}

/** A page of what was sent for an account, or for the service itself. */
async function answerPaidOut(c: Context<CallerEnv>, userId: string) {
  const { withdrawalPage } = await import('../../payouts/ask/list-withdrawals.ts')
  const page = await withdrawalPage(c.env.DB, userId, c.req.query('cursor'))
  return sendJson(c, page)
}

/** What an act says of itself for its audit entry. */
interface Recorded {
  account?: string
  amount?: bigint
  blockchain: Blockchain
}
