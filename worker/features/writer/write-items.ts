import type { StopPart } from '../../../contract/states.ts'
import type { AgentContext, StepContext } from '../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../chain/follower/blocks.ts'
import { eachRecord, NOT_TRIED } from '../../chain/follower/each-record.ts'
import { deleteUntriedStatement } from '../../chain/follower/failed-records.ts'
import { selectStoppedParts } from '../../chain/follower/stops.ts'
import { copyRecord } from '../../content/chain/bucket-records.ts'
import { listName } from '../../content/chain/content-record.ts'
import { putListMark, SITE_PREFIX } from '../../content/chain/list-mark.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { memoryOf } from '../../platform/flow/memory-budget.ts'
import { storedKey } from '../items/sql/item-objects.ts'
import {
  assertNeverSentStatement,
  type FullyMined,
  MAX_PUBLISHED,
  markCheckedStatement,
  selectFullyMined,
  selectItemTxids,
  updateProgressStatements,
} from '../wallet/sql/transaction-states.ts'
import { type OwnTransaction, selectUnmined, txidsOf } from '../wallet/sql/transactions.ts'
import { selectOpenStatement, selectTiedCoins } from '../withdrawals/sql/withdrawals.ts'
import { bumpTxChains } from './bump-tx-chains.ts'
import { checkSent } from './check-sent.ts'
import { followersOf, giveUp } from './give-up.ts'
import { closeIdleTxChains, lockTxChainCoins } from './lock-coins.ts'
import { notifyUnblocked } from './mark-stuck.ts'
import { planWrites } from './plan-writes.ts'
import { publishIpfsItem, publishMined } from './publish-items.ts'
import { resumeRecords } from './record-payouts.ts'
import { sendPackages } from './send-packages.ts'
import { sendAll } from './send-transactions.ts'
import { sendWithdrawals } from './send-withdrawals.ts'
import {
  deleteWrittenFailuresStatement,
  finishWriteStatement,
  selectToWrite,
  selectWrites,
  startWritesStatement,
  type WriteJob,
} from './sql/writes.ts'
import { withoutStopped } from './without-stopped.ts'

/** Items published on IPFS, or tidied up behind, in one step. */
const ENDED_PER_STEP = 20

/** How long tx chains and coins that the wallet could not sign for are shown when they are not tried any more, in milliseconds. */
const TX_CHAINS_SHOWN = 3_600_000

/**
 * Advances paid items by one step. Signed transactions are sent, sent ones are checked, confirmed items are published,
 * and then as many transactions as the tx chains have room for are signed, stored and sent. Returns `true` if there may
 * be more to do at once.
 */
export async function writeItems(context: StepContext, tip: BlockPosition): Promise<boolean> {
  const { db, blockchain, config, now } = context
  const [, withdrawing] = await db.batch([
    startWritesStatement(db, blockchain),
    selectOpenStatement(db, blockchain),
    deleteUntriedStatement(db, blockchain, 'lane', now - TX_CHAINS_SHOWN),
    deleteWrittenFailuresStatement(db, blockchain),
  ])
  const pays = Boolean(withdrawing?.results.length)
  await resumeRecords(context)
  const stopped = await selectStoppedParts(db, blockchain)
  const forChain = await selectToWrite(db, blockchain)
  const ended = await endItems(context, tip)
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
  let moved = ended || taken > 0
  // Some may have been stopped or published by what was just learnt.
  const left = await selectToWrite(db, blockchain)
  await notifyUnblocked(context, left, unmined)
  if (left.length === 0) await closeIdleTxChains(context, tip)
  const paying = pays && (await sendWithdrawals(context, tip, stopped.has('payouts')))
  // What was sent or signed just now holds its tx chain.
  const open = taken > 0 || paying ? await selectUnmined(db, blockchain) : unmined
  const mayWrite = !stopped.has('writing')
  const planned = mayWrite && left.length > 0 && (await planWrites(context, left, open))
  const bumped = mayWrite && !planned && (await bumpTxChains(context, tip, open, cheap))
  if (bumped && cheap.length > 0) await sendPackages(context, tip, cheap, await selectUnmined(db, blockchain))
  if (planned || paying || bumped) moved = (await sendFresh(context, tip, stopped)) || moved
  await lockTxChainCoins(context, pays ? await selectTiedCoins(db, blockchain) : [])
  return moved
}

/**
 * Publishes what is written and what is on IPFS, and tidies up behind what is published. One that fails is set aside. `true` if there may
 * be more to do at once.
 */
async function endItems(context: AgentContext, tip: BlockPosition): Promise<boolean> {
  const { db, blockchain, config } = context
  const ended = await selectWrites(db, blockchain, ['queued', 'writing', 'published'], { part: 'others' })
  const height = tip.height - config.chains[blockchain].confirmations + 1
  const mined = await selectFullyMined(db, blockchain, height)
  let moved = false
  let worked = 0
  const end = async (write: WriteJob) => {
    if (worked++ >= ENDED_PER_STEP) return NOT_TRIED
    if (write.state === 'published') await storeWrittenContent(context, write)
    else if (!(await publishIpfsItem(context, write))) moved = true
    return undefined
  }
  const publish = async (one: FullyMined) => {
    if (await publishMined(context, tip, one, height)) moved = true
  }
  const records = [
    ...ended.map((write) => ({ id: write.itemId, work: async () => await end(write) })),
    ...mined.map((one) => ({ id: one.itemId, work: async () => await publish(one) })),
  ]
  await eachRecord(context, 'item', records, async ({ work }) => await work(), { whole: mined.length < MAX_PUBLISHED })
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

/**
 * Puts the content of a published item where readers find it, so that the first of them waits for no node. May be cut
 * off anywhere and done again.
 */
async function storeWrittenContent(context: AgentContext, write: WriteJob): Promise<void> {
  const { db, bucket, config } = context
  if (write.target !== 'IPFS') {
    const list = listName({ blockchain: write.target, txids: await selectItemTxids(db, write.itemId) })
    const measuring = { maxDecodedBytes: config.maxDecodedBytes, take: memoryOf(undefined) }
    await copyRecord(bucket, { from: storedKey(write.itemId), list, measuring })
    // The blocks of a website are public by now.
    if (write.cid !== undefined) await putListMark(bucket, { prefix: SITE_PREFIX, list }, write.cid)
  }
  await batchIf(db, [finishWriteStatement(db, write.itemId)])
}
