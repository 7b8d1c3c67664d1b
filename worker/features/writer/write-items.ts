import type { StopPart } from '../../../contract/states.ts'
import type { AgentContext, StepContext } from '../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../chain/follower/blocks.ts'
import { deleteUntriedStatement } from '../../chain/follower/failed-records.ts'
import { selectStoppedParts } from '../../chain/follower/stops.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import {
  deleteWrittenFailuresStatement,
  selectToWrite,
  startWritesStatement,
  type WriteJob,
} from '../items/sql/writes.ts'
import { sendWithdrawals } from '../payouts/pay/send-withdrawals.ts'
import { resumeRecords } from '../payouts/restore/record-payouts.ts'
import { selectOpenStatement, selectTiedCoins } from '../payouts/sql/withdrawals.ts'
import { followersOf, giveUp } from '../transactions/sign/give-up.ts'
import {
  assertNeverSentStatement,
  markCheckedStatement,
  updateProgressStatements,
} from '../transactions/sql/transaction-states.ts'
import { type OwnTransaction, selectUnmined, txidsOf } from '../transactions/sql/transactions.ts'
import { checkSent } from './follow/check-sent.ts'
import { publishItems } from './follow/publish-items.ts'
import { tellStopped } from './plan/hold-items.ts'
import { closeIdleTxChains, lockTxChainCoins } from './plan/lock-coins.ts'
import { planWrites } from './plan-writes.ts'
import { bumpTxChains } from './raise/bump-tx-chains.ts'
import { notifyUnblocked } from './raise/mark-stuck.ts'
import { sendPackages } from './send/send-packages.ts'
import { sendAll } from './send/send-transactions.ts'
import { withoutStopped } from './send/without-stopped.ts'

/** How long tx chains and coins that the wallet could not sign for are shown when they are not tried any more, in milliseconds. */
const TX_CHAINS_SHOWN = 3_600_000

/**
 * Advances paid items by one step. Signed transactions are sent, sent ones are checked, confirmed items are published,
 * and then as many transactions as the tx chains have room for are signed, stored and sent. Withdrawals are signed for the first time
 * only where all that left the wallet is known (`knowsSends`). Returns `true` if there may be more to do at once.
 */
export async function writeItems(
  context: StepContext,
  tip: BlockPosition,
  { knowsSends }: { knowsSends: boolean },
): Promise<boolean> {
  const { db, blockchain, config, now } = context
  const [, withdrawing] = await db.batch([
    startWritesStatement(db, blockchain),
    selectOpenStatement(db, blockchain),
    deleteUntriedStatement(db, blockchain, 'tx_chain', now - TX_CHAINS_SHOWN),
    deleteWrittenFailuresStatement(db, blockchain),
  ])
  const pays = Boolean(withdrawing?.results.length)
  await resumeRecords(context)
  const stopped = await selectStoppedParts(db, blockchain)
  const forChain = await selectToWrite(db, blockchain)
  const published = await publishItems(context, tip)
  const live = await selectUnmined(db, blockchain)
  const unmined = await dropHeld(context, forChain, live)
  const signed = unmined.filter(({ state, checkedHeight }) => state === 'signed' && checkedHeight !== tip.height)
  const first = await sendAll(context, tip, withoutStopped(signed, unmined, stopped), unmined)
  const again = await checkSent(context, tip, unmined, first.orphaned)
  const { cheap } = again
  const together = await sendPackages(context, tip, cheap, unmined)
  const taken = first.taken + together
  if (taken + again.taken === 0) {
    // Those without a coin that this step has not handled are left to the next step, not to the next block.
    const untaken = [...first.untaken, ...again.untaken].filter((one) => !again.orphaned.includes(one))
    await waitForBlock(context, tip, untaken)
  }
  const itemIds = forChain.map(({ itemId }) => itemId)
  const depth = { tipHeight: tip.height, depth: config.chains[blockchain].confirmations, now }
  if (itemIds.length > 0) await db.batch(updateProgressStatements(db, itemIds, depth))
  let moved = published || taken > 0
  // Some may have been stopped or published by what was just learnt.
  const left = await selectToWrite(db, blockchain)
  await notifyUnblocked(context, left, unmined)
  if (left.length === 0) await closeIdleTxChains(context, tip)
  const paying = pays && (await sendWithdrawals(context, tip, { stopped: stopped.has('payouts'), knowsSends }))
  // What was sent or signed just now holds its tx chain.
  const open = taken > 0 || paying ? await selectUnmined(db, blockchain) : unmined
  const mayWrite = !stopped.has('writing')
  if (!mayWrite) await tellStopped(context, left, open)
  const planned = mayWrite && left.length > 0 && (await planWrites(context, left, open))
  const bumped = mayWrite && !planned && (await bumpTxChains(context, tip, open, cheap))
  if (bumped && cheap.length > 0) await sendPackages(context, tip, cheap, await selectUnmined(db, blockchain))
  if (planned || paying || bumped) moved = (await sendFresh(context, tip, stopped)) || moved
  await lockTxChainCoins(context, pays ? await selectTiedCoins(db, blockchain) : [])
  return moved
}

/**
 * Sends what was just signed; the next step checks the result. `false` where the node accepted none of it: then the next step need
 * not follow at once. Nothing is sent of stopped `parts`.
 */
async function sendFresh(context: StepContext, tip: BlockPosition, parts: ReadonlySet<StopPart>): Promise<boolean> {
  const unmined = await selectUnmined(context.db, context.blockchain)
  const unsent = unmined.filter(({ state, attempts }) => state === 'signed' && attempts === 0)
  const fresh = withoutStopped(unsent, unmined, parts)
  const { taken, stopped } = await sendAll(context, tip, fresh, unmined)
  return taken + stopped > 0 || fresh.length === 0
}

/**
 * Records that transactions that the node did not accept are not sent again before the next block: the same mempool
 * returns the same answer. Must not be called if the node has accepted another transaction in this step, which may be
 * what they wait for.
 */
async function waitForBlock(
  { db, blockchain }: AgentContext,
  tip: BlockPosition,
  untaken: readonly OwnTransaction[],
): Promise<void> {
  if (untaken.length === 0) return
  await markCheckedStatement(db, blockchain, txidsOf(untaken), tip.height).run()
}

/**
 * Returns `unmined` without the transactions that were signed and never sent for items that are not to be written now,
 * and marks these as dead; they are made anew later.
 */
async function dropHeld(
  { db, blockchain }: AgentContext,
  writes: readonly WriteJob[],
  unmined: OwnTransaction[],
): Promise<OwnTransaction[]> {
  const active = new Set(writes.map(({ itemId }) => itemId))
  const held = unmined.filter(
    ({ state, attempts, itemId }) =>
      state === 'signed' && attempts === 0 && itemId !== undefined && !active.has(itemId),
  )
  if (held.length === 0) return unmined
  const dropped = new Set(held.flatMap((one) => followersOf(unmined, one)))
  // Another step may send one meanwhile, whose item was resumed.
  await batchIf(db, [assertNeverSentStatement(db, blockchain, txidsOf(held)), ...giveUp(db, blockchain, [...dropped])])
  return unmined.filter((one) => !dropped.has(one))
}
