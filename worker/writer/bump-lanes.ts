import { CHAINS } from '../../protocol/chains.ts'
import { feeFor, transactionVsize } from '../../protocol/transaction-size.ts'
import { readFeeRate } from '../chain/fund-methods.ts'
import type { AgentContext } from '../chain-follower/agent-context.ts'
import type { BlockPosition } from '../storage/chain/blocks.ts'
import { selectOpenLanes } from '../storage/writes/lanes.ts'
import type { OwnTransaction } from '../storage/writes/transactions.ts'
import { LANE_LENGTH, type Plan } from './plan-lanes.ts'
import { signAndStore } from './sign-and-store.ts'

/** Blocks that pass a waiting transaction by before its lane pays more. */
const STUCK_BLOCKS = 6

/**
 * Adds to lanes that are stuck a transaction whose fee pays for all before it (CPFP): it keeps every txid as it is,
 * which replacing one in the middle would not. One at a time in a lane: the one place that the node's limit leaves.
 */
export async function bumpLanes(
  context: AgentContext,
  tip: BlockPosition,
  unmined: readonly OwnTransaction[],
): Promise<boolean> {
  const { db, rpc, blockchain } = context
  const stuck = unmined.filter(
    ({ state, sentHeight }) => state === 'sent' && tip.height - (sentHeight ?? tip.height) >= STUCK_BLOCKS,
  )
  const ids = new Set(stuck.map(({ lane }) => lane))
  if (ids.size === 0) return false
  const feeRate = await readFeeRate(rpc, blockchain)
  const plan: Plan = { transactions: [], opened: [], closed: [] }
  for (const { id, script } of await selectOpenLanes(db, blockchain)) {
    const own = unmined.filter(({ lane }) => lane === id)
    const bump = ids.has(id) && planBump(own, script, feeRate, CHAINS[blockchain].dust)
    if (bump) plan.transactions.push(bump)
  }
  if (plan.transactions.length === 0) return false
  console.warn('lanes_stuck', blockchain, `${plan.transactions.length} lanes pay more`)
  return await signAndStore(
    context,
    plan,
    () => undefined,
    () => [],
  )
}

/**
 * The transaction that brings a lane's unconfirmed ones to `feeRate`, or to half as much again as they pay when the
 * node's estimate is no higher. Nothing when one was added already, the lane is too long, or has not the money.
 */
export function planBump(
  unconfirmed: readonly OwnTransaction[],
  script: string,
  feeRate: bigint,
  dust: bigint,
): Plan['transactions'][number] | undefined {
  const last = unconfirmed.reduce<OwnTransaction | undefined>(
    (latest, one) => (latest && latest.seq > one.seq ? latest : one),
    undefined,
  )
  const bumped = unconfirmed.some(({ itemId }) => itemId === undefined)
  if (!last || bumped || unconfirmed.length > LANE_LENGTH || unconfirmed.some(({ state }) => state !== 'sent')) {
    return undefined
  }
  const vsize = transactionVsize([script], [script.length / 2])
  const whole = unconfirmed.reduce((sum, one) => sum + one.vsize, vsize)
  const paid = unconfirmed.reduce((sum, one) => sum + one.fee, 0n)
  const paidRate = (paid * 1000n) / BigInt(whole - vsize)
  const raised = (paidRate * 3n) / 2n
  const fee = feeFor(whole, feeRate > raised ? feeRate : raised) - paid
  const change = last.changeValue - fee
  if (change < dust) return undefined
  const tip = { txid: last.txid, vout: last.changeVout, value: last.changeValue, script }
  const { lane, seq } = last
  return { lane, seq: seq + 1, spends: [tip], payload: undefined, splits: [], script, change, fee, vsize }
}
