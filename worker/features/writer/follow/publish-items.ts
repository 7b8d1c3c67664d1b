import { CID } from 'multiformats/cid'
import { contentIndexLength } from '../../../../protocol/content-index.ts'
import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../../../chain/follower/blocks.ts'
import { eachRecord, NOT_TRIED } from '../../../chain/follower/each-record.ts'
import { copyRecord } from '../../../content/chain/bucket-records.ts'
import { listName } from '../../../content/chain/content-record.ts'
import { putListMark, SITE_PREFIX } from '../../../content/chain/list-mark.ts'
import { publishBlocks } from '../../../content/ipfs/blocks/pending-blocks.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { memoryOf } from '../../../platform/flow/memory-budget.ts'
import { hasIndex, indexedContent } from '../../items/indexed-content.ts'
import {
  publishIndexStatements,
  queueIndexStatements,
  selectIndexed,
  voidIndexStatement,
} from '../../items/sql/indexes.ts'
import { storedKey } from '../../items/sql/item-objects.ts'
import { selectItem, updateWaitingMessage } from '../../items/sql/items.ts'
import { publishChainItemStatements, publishIpfsItemStatements } from '../../items/sql/move-items.ts'
import { finishWriteStatement, selectWrites, type WriteJob } from '../../items/sql/writes.ts'
import {
  type FullyMined,
  MAX_PUBLISHED,
  selectFullyMined,
  selectItemTxids,
} from '../../transactions/sql/transaction-states.ts'
import { indexId } from '../plan/read-index-data.ts'

/** Items published on IPFS, or tidied up behind, in one step. */
const ENDED_PER_STEP = 20

const NOT_PUBLISHED =
  'Paid. It could not be published just now. It is tried again automatically, and the operator is told why.'

/**
 * Publishes what is written and what is on IPFS, and tidies up behind what is published. One that fails becomes a failed record. `true` if there may
 * be more to do at once.
 */
export async function publishItems(context: AgentContext, tip: BlockPosition): Promise<boolean> {
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
  await eachRecord(context, 'item', records, ({ work }) => work(), {
    whole: mined.length < MAX_PUBLISHED,
    tell: ({ id }) => updateWaitingMessage(db, [id], NOT_PUBLISHED),
  })
  return moved
}

/**
 * Publishes an item of which every transaction is in a block at or below `height`, or the index of one. `true` if that is done, or if
 * there is more of it at once: the blocks of a directory are made public some at a time, before it.
 * @throws {Error} if its blocks are gone
 */
async function publishMined(
  context: AgentContext,
  tip: BlockPosition,
  { itemId, cid, indexOf }: FullyMined,
  height: number,
): Promise<boolean> {
  const { db, bucket, blockchain, now } = context
  if (indexOf !== null) return await publishIndex(context, tip, { id: itemId, itemId: indexOf }, height)
  if (cid !== null && !(await publishBlocks(bucket, itemId, CID.parse(cid))).done) return true
  const txids = await selectItemTxids(db, itemId)
  return await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    ...publishChainItemStatements(db, itemId, txids, height, now),
    ...(await queueIndex(db, itemId, txids, { height, now })),
  ])
}

/**
 * The statements that have the index of an item made that is published with these txids, where it is to have one: they can't
 * change any more but by a reorganisation that is deeper than the chain's confirmations.
 */
async function queueIndex(
  db: D1Database,
  itemId: string,
  txids: readonly string[],
  { height, now }: { height: number; now: number },
): Promise<D1PreparedStatement[]> {
  const item = await selectItem(db, itemId)
  if (!item || !hasIndex({ ...item, transactions: txids.length })) return []
  const length = contentIndexLength({ ...indexedContent(item), parts: txids.length })
  return queueIndexStatements(db, { id: indexId(itemId, txids), itemId, length }, height, now)
}

/** Shows the index of an item that names its txids of now; another one is for nobody. `true` when that is done. */
async function publishIndex(
  { db, blockchain, now }: AgentContext,
  tip: BlockPosition,
  { id, itemId }: { id: string; itemId: string },
  height: number,
): Promise<boolean> {
  const item = await selectIndexed(db, itemId)
  const [txid] = await selectItemTxids(db, id)
  if (txid === undefined || !item || indexId(itemId, item.txids) !== id) {
    await voidIndexStatement(db, id).run()
    return true
  }
  return await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    ...publishIndexStatements(db, { id, itemId, txid }, height, now),
  ])
}

/** Makes the blocks of a paid IPFS item public, some at a time, and then the item. `true` when it is done. */
async function publishIpfsItem(context: AgentContext, write: WriteJob): Promise<boolean> {
  const { db, bucket, now } = context
  if (write.cid === undefined) throw new Error(`IPFS item ${write.itemId} has no CID`)
  const { done } = await publishBlocks(bucket, write.itemId, CID.parse(write.cid))
  return done && (await batchIf(db, publishIpfsItemStatements(db, write.itemId, now)))
}

/**
 * Puts the content of a published item where readers find it, so that the first of them waits for no node. May be cut
 * off anywhere and done again.
 */
async function storeWrittenContent(context: AgentContext, write: WriteJob): Promise<void> {
  const { db, bucket, config } = context
  if (write.target !== 'IPFS') {
    const list = listName({ blockchain: write.target, txids: await selectItemTxids(db, write.itemId) })
    const { maxDecodedBytes } = config
    await copyRecord(bucket, { from: storedKey(write.itemId), list, maxDecodedBytes, take: memoryOf(undefined) })
    // The blocks of a website are public by now.
    if (write.cid !== undefined) await putListMark(bucket, { prefix: SITE_PREFIX, list }, write.cid)
  }
  await batchIf(db, [finishWriteStatement(db, write.itemId)])
}
