import { CHAINS } from '../../../../protocol/chains.ts'
import { outpointOf } from '../../../../protocol/transaction.ts'
import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { eachRecord, mustWait, NOT_TRIED } from '../../../chain/follower/each-record.ts'
import { selectFailedRecords } from '../../../chain/follower/failed-records.ts'
import { deleteIncidentStatement, insertIncidentStatement } from '../../../chain/follower/incidents.ts'
import { assertNotStoppedStatement } from '../../../chain/follower/stops.ts'
import { newChangeScript } from '../../../chain/rpc/address-methods.ts'
import { readBalance, readFeeRate } from '../../../chain/rpc/fund-methods.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { readInTurn, rotatingPrefix } from '../../../platform/d1/read-in-turn.ts'
import { consolidateCoins } from '../../transactions/sign/consolidate-coins.ts'
import { isAffordable } from '../../transactions/sign/is-affordable.ts'
import { signAndStore } from '../../transactions/sign/sign-and-store.ts'
import { mostTxChains } from '../../transactions/sign/tx-chain-limits.ts'
import { listFunds } from '../../transactions/spendable-coins.ts'
import { assertAssignedStatement } from '../../transactions/sql/list-sends.ts'
import { isGathering, selectTxChainTips } from '../../transactions/sql/transactions.ts'
import { type Coin, selectNextTxChainId, selectOpenTxChains } from '../../transactions/sql/tx-chains.ts'
import { endWithdrawals } from '../end/end-withdrawals.ts'
import { withdrawalEventStatement } from '../end/withdrawal-event.ts'
import { holdLabelled, labelPayout } from '../restore/withdrawal-labels.ts'
import { assertPayoutCountStatement } from '../sql/payout-sums.ts'
import { clearReasonsStatement, noteStoppedStatement } from '../sql/withdrawal-reasons.ts'
import {
  confirmWithdrawalStatements,
  deleteOutdatedFailuresStatements,
  markWithdrawalSentStatements,
  selectAcceptedPayouts,
  selectConfirmedPayouts,
  selectUnsigned,
  tieWithdrawalStatements,
  type Withdrawal,
} from '../sql/withdrawals.ts'
import { checkNode, type NodeState } from './check-node.ts'
import { planWithdrawal } from './plan-withdrawal.ts'
import { FEE_TOO_HIGH, NOT_MADE, notifyWaiting, PAYOUTS_STOPPED, preparePayout, tellNotMade } from './prepare-payout.ts'

/** Withdrawals read in one step. */
const READ_PER_STEP = 200
/** Of these so many are tried, each some ten statements where it has to wait: D1 allows an invocation 1,000. */
const TRIED_PER_STEP = 30
/** Signed in one step: each is signed and recorded by itself. */
const SIGNED_PER_STEP = 5

const NO_COINS = "The service's wallet has no confirmed coins for it now. It is sent automatically when it has."
const SMALL_COINS =
  "The coins of the service's wallet are too small for it and are being consolidated. It is sent automatically when the larger coin is confirmed."
const WALLET_LOW = "The service's wallet is below its limit. It is sent automatically when the operator has filled it."

const SENDS_UNKNOWN =
  "The service's wallet is being searched for what it has paid. It is sent automatically when that is done."

const NODE_BEHIND = "The service's node may not know the newest blocks. It is sent automatically when it does."

const TX_CHAINS_FULL = 'Too many transactions of the service wait to be mined. It is sent automatically when some are.'

/** What operators are notified of that, as an incident. */
export const WITHDRAWALS_WAIT = 'withdrawals wait for other transactions to be mined'

/**
 * Moves withdrawals on as their transactions are, and signs those that wait: each on a tx chain of its own, from where it is
 * sent, looked after and bumped as everything there is. Where payouts are `stopped` they wait, and those for which nothing was signed
 * yet until all that left the wallet is known (`knowsSends`). `true` when something was signed.
 */
export async function sendWithdrawals(
  context: AgentContext,
  tip: BlockPosition,
  { stopped, knowsSends }: { stopped: boolean; knowsSends: boolean },
): Promise<boolean> {
  const { db, rpc, blockchain, config, now } = context
  const chain = config.chains[blockchain]
  const height = tip.height - chain.confirmations + 1
  const waiting = await readInTurn({ limit: READ_PER_STEP, now }, (from) =>
    selectUnsigned(db, blockchain, READ_PER_STEP, from),
  )
  for (const taken of await selectAcceptedPayouts(db, blockchain)) {
    const told = withdrawalEventStatement(db, taken, 'sent', now, { txid: taken.txid })
    await batchIf(db, [...markWithdrawalSentStatements(db, taken.id), told])
  }
  for (const deep of await selectConfirmedPayouts(db, blockchain, height)) {
    const told = withdrawalEventStatement(db, deep, 'confirmed', now, { txid: deep.txid })
    await batchIf(db, [...confirmWithdrawalStatements(db, deep.id, height), told])
  }
  await db.batch([
    ...deleteOutdatedFailuresStatements(db, blockchain),
    clearReasonsStatement(db, blockchain, stopped),
    ...(stopped ? [noteStoppedStatement(db, blockchain, PAYOUTS_STOPPED, now)] : []),
  ])
  const ended = await endWithdrawals(context, tip)
  if (waiting.length === 0 || stopped) return ended
  const { walletLeast } = chain
  const feeRate = await readFeeRate(rpc, blockchain)
  const rejected = (await selectFailedRecords(db, blockchain, 'refused')).filter((row) => mustWait(row, now))
  const backingOff = new Set(rejected.map(({ id }) => id))
  const isLow = walletLeast !== undefined && (await readBalance(rpc)) < walletLeast
  const findReason = (withdrawal: Withdrawal) => {
    if (!withdrawal.coin && !knowsSends) return SENDS_UNKNOWN
    if (isLow && !withdrawal.coin) return WALLET_LOW
    return isAffordable(withdrawal, feeRate, config.feeCeilingPercent) ? undefined : FEE_TOO_HIGH
  }
  const ready = waiting.filter(({ id }) => !backingOff.has(id))
  const byReason = Map.groupBy(ready, findReason)
  for (const [why, held] of byReason) if (why !== undefined) await notifyWaiting(context, held, why)
  let [signed, full] = [0, false]
  let node: Promise<NodeState> | undefined
  const payOne = async (withdrawal: Withdrawal) => {
    // What was asked of the node before payouts were stopped is not asked again.
    if (signed >= SIGNED_PER_STEP || (!withdrawal.coin && (await node) === 'stopped')) return NOT_TRIED
    const outcome = await sign(context, tip, withdrawal, feeRate, () => (node ??= checkNode(context, tip)))
    if (outcome === 'labelled') {
      node = Promise.resolve('stopped')
      await holdLabelled(
        context,
        blockchain,
        waiting.flatMap(({ id, coin }) => (coin ? [] : [id])),
      )
      return false
    }
    if (outcome === 'full') full = true
    else if (outcome) signed++
    return outcome
  }
  await eachRecord(context, 'withdrawal', chooseTried(byReason.get(undefined) ?? [], now), payOne, {
    whole: false,
    tell: (withdrawal, error) => tellNotMade(context, withdrawal, error),
  })
  const incident = { code: 'tx_chains_full', reason: WITHDRAWALS_WAIT, since: now } as const
  // Where paid items wait for the same, they are named until they are written.
  if (full) await insertIncidentStatement(db, blockchain, incident, { keep: true }).run()
  else if (waiting.some(({ reason }) => reason === TX_CHAINS_FULL)) {
    await deleteIncidentStatement(db, blockchain, incident.code, incident.reason).run()
  }
  return ended || signed > 0
}

/** The withdrawals that a step tries to sign: the longest waiting, and, where there are more, others with each second. Pure. */
export function chooseTried<T extends { id: string }>(payable: readonly T[], now: number): readonly T[] {
  if (payable.length <= TRIED_PER_STEP) return payable
  const first = payable.slice(0, TRIED_PER_STEP / 2)
  const others = payable.slice(first.length).sort((a, b) => (a.id < b.id ? -1 : 1))
  const from = rotatingPrefix(now)
  const start = Math.max(
    0,
    others.findIndex(({ id }) => id >= from),
  )
  return [...first, ...others.slice(start), ...others.slice(0, start)].slice(0, TRIED_PER_STEP)
}

/**
 * Signs a withdrawal, or says what it waits for; `full` where that is a tx chain, `labelled` where it was held for what the wallet knows
 * of it. Before the first signature it is asked how the node is (`nodeState`).
 */
async function sign(
  context: AgentContext,
  tip: BlockPosition,
  withdrawal: Withdrawal,
  feeRate: bigint,
  nodeState: () => Promise<NodeState>,
): Promise<boolean | 'full' | 'labelled'> {
  const { db, rpc, blockchain, config, now } = context
  const { id, script, amount } = withdrawal
  const payable = await preparePayout(context, tip, withdrawal)
  if (!payable) return false
  const { coin, sums } = payable
  const { coins, txChainOf, busy } = await listCoins(context)
  if (busy >= mostTxChains(config.maxTxChains)) {
    await notifyWaiting(context, withdrawal, TX_CHAINS_FULL)
    return 'full'
  }
  const changeScript = await newChangeScript(rpc, blockchain)
  const { dust } = CHAINS[blockchain]
  const maxInputs = config.withdrawalInputs
  const planned = planWithdrawal({ amount, script, changeScript, coin, coins, feeRate, dust, maxInputs })
  const held = coins.reduce((sum, { value }) => sum + value, 0n)
  if (!planned && (await isGathering(db, blockchain))) {
    await notifyWaiting(context, withdrawal, SMALL_COINS)
    return false
  }
  const isSmall = !planned && coins.length > 1 && held >= amount + withdrawal.fee
  if (isSmall && (await consolidateCoins(context, { atOnce: true, largest: true }))) {
    await notifyWaiting(context, withdrawal, SMALL_COINS)
    return true
  }
  if (!planned) {
    console.warn('coins_missing', blockchain, `withdrawal ${id} waits: the wallet has no confirmed coins for it`)
    await notifyWaiting(context, withdrawal, NO_COINS)
    return false
  }
  if (!coin) {
    const state = await nodeState()
    if (state === 'behind') await notifyWaiting(context, withdrawal, NODE_BEHIND)
    if (state !== 'good') return false
    if (!(await labelPayout(context, withdrawal))) return 'labelled'
  }
  const { spends, change, fee, vsize } = planned
  const txChain = await selectNextTxChainId(db, blockchain)
  const closed = spends.flatMap((spent) => txChainOf.get(outpointOf(spent)) ?? [])
  const transaction = {
    ...{ txChain, seq: 0, spends, payload: undefined, splits: [], script: changeScript, change, fee, vsize },
    pays: { withdrawalId: id, script, value: amount },
  }
  const opened = [{ id: txChain, coin: spends[0], script: changeScript }]
  const signed = await signAndStore(context, { transactions: [transaction], opened, closed }, undefined, () => [
    ...(coin ? [] : [assertAssignedStatement(db, blockchain), assertNotStoppedStatement(db, blockchain, 'payouts')]),
    ...(sums ? [assertPayoutCountStatement(db, blockchain, sums.count, now)] : []),
    ...tieWithdrawalStatements(db, id, spends[0], now),
  ])
  // As where the wallet can't sign for the coin that it is tied to.
  if (!signed) await notifyWaiting(context, withdrawal, NOT_MADE)
  return signed
}

/**
 * Coins of the wallet that no tx chain has, and those of tx chains on which nothing waits, by the tx chain that would end; with how many tx chains
 * are `busy`, which something waits on.
 */
async function listCoins(
  context: AgentContext,
): Promise<{ coins: Coin[]; txChainOf: Map<string, number>; busy: number }> {
  const { db, blockchain } = context
  const txChains = await selectOpenTxChains(db, blockchain)
  const tips = new Map((await selectTxChainTips(db, blockchain)).map((last) => [last.txChain, last]))
  const held = new Set<string>()
  const idle: Coin[] = []
  const txChainOf = new Map<string, number>()
  for (const { id, coin, script } of txChains) {
    const last = tips.get(id)
    const end = last ? { txid: last.txid, vout: last.changeVout, value: last.changeValue, script } : coin
    held.add(outpointOf(end))
    if (last?.state !== 'mined') continue
    idle.push(end)
    txChainOf.set(outpointOf(end), id)
  }
  const { spendable: coins } = await listFunds(context)
  const busy = txChains.length - idle.length
  return { coins: [...coins.filter((coin) => !held.has(outpointOf(coin))), ...idle], txChainOf, busy }
}
