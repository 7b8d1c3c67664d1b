import { creditByHand } from '../../../worker/features/operate/credit-by-hand.ts'
import { decideRecord } from '../../../worker/features/operate/decide-record.ts'
import { decideWithdrawal } from '../../../worker/features/operate/decide-withdrawal.ts'
import { actionsFor } from '../../../worker/features/operate/list-failed-records.ts'
import { sweepCoins } from '../../../worker/features/operate/pay-out.ts'
import { rewindScan } from '../../../worker/features/operate/rewind-scan.ts'
import { creditRequest, settleByHand } from '../../../worker/features/operate/settle-by-hand.ts'
import { selectFailedRecordPage } from '../../../worker/features/operate/sql/failed-records.ts'
import { requireAssigned, stopChain } from '../../../worker/features/operate/stop-chain.ts'
import { writeOffDeposit } from '../../../worker/features/operate/write-off-deposit.ts'
import type { PaymentContext } from '../../../worker/features/payments/payment-context.ts'
import { hasUnknownPayout } from '../../../worker/features/payouts/end/unknown-payout.ts'
import { consolidateCoins } from '../../../worker/features/transactions/sign/consolidate-coins.ts'
import { retryItem } from '../../../worker/features/writer/retry-item.ts'
import { rpcOf } from '../ask-node.ts'
import { contextOf, endingOf } from '../run-service.ts'
import { elsewhere } from '../spend.ts'
import { USERS, type World } from '../world.ts'

type Act = (world: World, context: PaymentContext) => (() => Promise<unknown>) | undefined

const record = () => []

/** One act of an operator's, where there is something that it can be done to. */
export function pickAct(world: World): (() => Promise<unknown>) | undefined {
  const act = world.random.pick(ACTS)
  if (act) world.stage.log.push(`operator: ${act.name}`)
  return act?.(world, contextOf(world))
}

/** Stops what chance has it stop, or lets all go on. */
const stop: Act = (world, context) => {
  const { random, d1, blockchain } = world
  const isStop = random.chance(0.4)
  const order = {
    payouts: isStop && random.chance(0.6),
    writing: isStop && random.chance(0.6),
    reason: 'something looks wrong',
  }
  return async () => {
    if (!order.payouts) await requireAssigned({ ...context, ...endingOf(world) }, blockchain)
    return await stopChain({ db: d1, now: context.now, record }, blockchain, order)
  }
}

/** Lets a withdrawal go, gives it back, or pays it from another wallet. */
const decide: Act = (world) => {
  const { random, d1, node, blockchain } = world
  const open = d1.rows(
    `SELECT id, ending, reason FROM withdrawals WHERE state IN ('waiting', 'held', 'failed', 'sent') ORDER BY rowid`,
  )
  const { id, ending, reason } = random.pick(open) ?? {}
  // An operator who is asked what became of a payout looks at the chain.
  const said = { ending: ending === 'refunded' ? ('refunded' as const) : undefined, reason: String(reason) }
  const txid = hasUnknownPayout(said) ? said.reason.split(' ').at(-1) : undefined
  if (txid !== undefined && node.chain.confirmed.has(txid)) return undefined
  const act = random.pick(['approve', 'refund', 'paid_elsewhere'] as const)
  if (typeof id !== 'string' || !act) return undefined
  world.stage.log.push(`operator: ${act} ${id}`)
  return async () => {
    const ending = endingOf(world)
    await ending.noticeRestore(blockchain)
    await decideWithdrawal({ ...ending, record }, id, act)
  }
}

/** Takes back a credit whose transaction was spent otherwise. */
const writeOff: Act = ({ random, d1, blockchain }, context) => {
  const lost = d1.rows('SELECT txid, vout FROM outputs WHERE credited = 1 AND block_height IS NULL ORDER BY rowid')
  const output = random.pick(lost)
  if (!output) return undefined
  return () => writeOffDeposit(context, `${blockchain}-${output.txid}-${output.vout}`, record)
}

/** Gives money to an account, or takes some of it away. */
const credit: Act = ({ random, d1, blockchain }, context) => {
  const account = random.pick(USERS) ?? 'ada'
  const sql = 'SELECT balance FROM ledger WHERE user_id = ? AND blockchain = ? ORDER BY seq DESC LIMIT 1'
  const balance = BigInt(String(d1.rows(sql, account, blockchain)[0]?.balance ?? 0))
  const amount = random.pick([3_000_000n, -balance / 2n, -balance, -balance, -1_000_000n]) ?? 1n
  return () => creditByHand({ ...context, record }, { account, blockchain, amount, unbacked: random.chance(0.5) })
}

/** Settles a request with what is there, or ends it. */
const settle: Act = ({ random, d1 }, context) => {
  const id = random.pick(d1.rows(`SELECT id FROM payment_requests WHERE state != 'settled' ORDER BY rowid`))?.id
  if (typeof id !== 'string') return undefined
  const act = random.chance(0.5) ? settleByHand : creditRequest
  return () => act({ ...context, record }, id)
}

/** Tries something anew that failed, or does away with it. */
const decideAside: Act = ({ random, d1 }, context) => {
  const isClosing = random.chance(0.3)
  return async () => {
    const found = random.pick(await selectFailedRecordPage(d1, { since: 0, name: '' }, 50))
    // What is written anew at once may come twice: operators are told so.
    if (!found || found.kind === 'stopped') return
    const action = isClosing ? actionsFor(found.kind).at(-1) : 'retry'
    if (action) await decideRecord({ ...context, record }, found, action)
  }
}

/** Lets an item go on whose payment left the chain. */
const retry: Act = ({ random, d1 }, context) => {
  const id = random.pick(d1.rows(`SELECT item_id FROM writes WHERE state = 'paused' ORDER BY rowid`))?.item_id
  return typeof id === 'string' ? () => retryItem(d1, id, record, context.now) : undefined
}

const rewind: Act = ({ random, d1, blockchain }) => {
  const height = random.pick(d1.rows('SELECT height FROM blocks ORDER BY height'))?.height
  return () => rewindScan(d1, blockchain, random.chance(0.3) ? undefined : Number(height ?? 0), record)
}

/** Takes coins that nothing uses out of the wallet. */
const sweep: Act = (world, context) => {
  const { random, blockchain } = world
  const amount = BigInt(random.integer(2, 40)) * 100_000_000n
  const order = { blockchain, address: elsewhere(world), amount, maxFee: undefined }
  return () => sweepCoins(context, order, record)
}

/** Makes one coin of several. */
const consolidate: Act = (world, context) => {
  const { blockchain, r2: bucket } = world
  return () => consolidateCoins({ ...context, blockchain, bucket, rpc: rpcOf(world) }, { atOnce: true })
}

const ACTS: readonly Act[] = [
  ...[stop, decide, decide, decide, writeOff, writeOff, credit, credit, settle, decideAside],
  ...[retry, rewind, sweep, consolidate],
]
