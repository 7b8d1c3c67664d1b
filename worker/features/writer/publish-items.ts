import { CID } from 'multiformats/cid'
import { contentIndexLength } from '../../../protocol/content-index.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../../chain/follower/blocks.ts'
import { publishBlocks } from '../../content/ipfs/blocks/pending-blocks.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { hasIndex, indexedContent } from '../items/indexed-content.ts'
import { selectItem } from '../items/sql/items.ts'
import { publishChainItemStatements, publishIpfsItemStatements } from '../items/sql/move-items.ts'
import { type FullyMined, selectItemTxids } from '../wallet/sql/transaction-states.ts'
import { indexId } from './read-index-data.ts'
import { publishIndexStatements, queueIndexStatements, selectIndexed, voidIndexStatement } from './sql/indexes.ts'
import type { WriteJob } from './sql/writes.ts'

/**
 * Publishes an item of which every transaction is in a block at or below `height`, or the index of one. `true` if that is done, or if
 * there is more of it at once: the blocks of a directory are made public some at a time, before it.
 * @throws {Error} if its blocks are gone
 */
export async function publishMined(
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
export async function publishIpfsItem(context: AgentContext, write: WriteJob): Promise<boolean> {
  const { db, bucket, now } = context
  if (write.cid === undefined) throw new Error(`IPFS item ${write.itemId} has no CID`)
  const { done } = await publishBlocks(bucket, write.itemId, CID.parse(write.cid))
  return done && (await batchIf(db, publishIpfsItemStatements(db, write.itemId, now)))
}
