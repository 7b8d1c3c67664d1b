import type { AgentContext, StepContext } from '../chain/follower/agent-context.ts'
import type { BlockPosition } from '../chain/follower/blocks.ts'
import { selectChainState, upsertGenesis, upsertProblem, upsertStep } from '../chain/follower/chain-states.ts'
import { checkNetwork } from '../chain/follower/check-network.ts'
import { selectStoppedParts } from '../chain/follower/stops.ts'
import { selectWrites } from '../features/items/sql/writes.ts'
import { pauseUnbackedItems } from '../features/payments/pause-unbacked-items.ts'
import { recordPayments } from '../features/payments/record-payments.ts'
import { settlePayments } from '../features/payments/settle-payments.ts'
import { noticeRestore } from '../features/payouts/restore/notice-restore.ts'
import { switchStored } from '../features/sites/switch-stored.ts'
import { consolidateCoins } from '../features/transactions/sign/consolidate-coins.ts'
import { hasUnmined } from '../features/transactions/sql/transactions.ts'
import { foldItems } from '../features/writer/fold-items.ts'
import { deleteFinalBytes } from '../features/writer/follow/delete-final-bytes.ts'
import { watchProgress } from '../features/writer/follow/watch-progress.ts'
import { resumeUncontested } from '../features/writer/resume-uncontested.ts'
import { writeItems } from '../features/writer/write-items.ts'
import { findFollowProblem, followChain } from './follow-chain.ts'
import { hasWork } from './has-work.ts'

/** What the agent does after a step: at once again, soon, or only when somebody wakes it. */
export interface StepReport {
  next: 'now' | 'soon' | 'idle'
  /** The best block, where the node's chain was followed to it. */
  tip?: BlockPosition
}

/**
 * One bounded step of a chain's agent: follow the chain, take in payments, write what is paid. Every part of it may
 * run twice, at the same time as another, and may be cut off at any await. What a part could not process is set
 * aside; a step that ends is noted, for health.
 */
export async function runStep(context: StepContext): Promise<StepReport> {
  const { db, rpc, blockchain, config, numbers, now } = context
  const isDoubtful = (await noticeRestore(context, blockchain, numbers)) === undefined
  const { genesis, tipHash } = await selectChainState(db, blockchain)
  const seen = await checkNetwork(rpc, config.chains[blockchain].genesis ?? genesis)
  if (genesis === undefined) await upsertGenesis(db, blockchain, seen)
  const followed = await followChain(context)
  // Without the newest blocks nothing is decided: not about money, and not whether an output of ours is spent.
  if (followed.state === 'more') return { next: 'now' }
  if (followed.state !== 'current') {
    await noteFollowProblem(context, findFollowProblem(followed))
    return { next: 'soon' }
  }
  const { tip } = followed
  const recorded = await recordPayments(context, tip)
  if (recorded === 'more' || recorded === 'scanning') return { next: recorded === 'more' ? 'now' : 'soon', tip }
  const isSettled = await settlePayments(context, tip)
  const isWhole = recorded === 'done'
  if (isDoubtful && isSettled && isWhole) await noticeRestore(context, blockchain, numbers, { isSettled })
  // Before the unbacked ones are paused: what is resumed may be one of them.
  await resumeUncontested(context)
  await pauseUnbackedItems(context)
  const wrote = await writeItems(context, tip, { knowsSends: isWhole })
  if (wrote) await switchStored({ DB: db, BUCKET: context.bucket }, now)
  if (tipHash !== tip.hash) await watchProgress(context, tip)
  // Once for each block, and only where no item needs the coins.
  const moved = wrote || (tipHash !== tip.hash && (await gatherIdleCoins(context)))
  await upsertStep(db, blockchain, tip.hash, now)
  if (moved) return { next: 'now', tip }
  await deleteFinalBytes(context, tip)
  const more = await foldItems(context, tip)
  return { next: more || (await hasWork(context)) ? 'soon' : 'idle', tip }
}

/** Says in health why the node is not followed, and in the log when that begins. */
async function noteFollowProblem({ db, blockchain, now }: AgentContext, problem: string | undefined): Promise<void> {
  if (problem === undefined) return
  const isNew = await upsertProblem(db, blockchain, problem, now)
  if (isNew) console.warn('node_not_followed', blockchain, problem)
}

async function gatherIdleCoins(context: AgentContext): Promise<boolean> {
  const { db, blockchain } = context
  const unmined = await hasUnmined(db, blockchain)
  const [write] = unmined ? [] : await selectWrites(db, blockchain, ['queued', 'writing'])
  if (unmined || write || (await selectStoppedParts(db, blockchain)).has('writing')) return false
  return (await consolidateCoins(context)) !== undefined
}
