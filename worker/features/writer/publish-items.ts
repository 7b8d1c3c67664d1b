import { CID } from 'multiformats/cid'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../../chain/follower/blocks.ts'
import { deleteFailedRecordStatement } from '../../chain/follower/failed-records.ts'
import { publishBlocks } from '../../content/ipfs/blocks/pending-blocks.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { publishChainItemStatements, publishIpfsItemStatements } from '../items/sql/move-items.ts'
import { selectFullyMined, selectItemTxids } from '../wallet/sql/transaction-states.ts'
import type { WriteJob } from './sql/writes.ts'

/**
 * Publishes items of which every transaction has the chain's confirmations; says how many, and whether there are more of
 * them: the blocks of a directory are made public some at a time, before it.
 */
export async function publishItems(
  context: AgentContext,
  tip: BlockPosition,
): Promise<{ published: number; more: boolean }> {
  const { db, bucket, blockchain, config, now } = context
  const height = tip.height - config.chains[blockchain].confirmations + 1
  let published = 0
  let more = false
  for (const { itemId, cid } of await selectFullyMined(db, blockchain, height)) {
    if (cid !== null && !(await publishBlocks(bucket, itemId, CID.parse(cid))).done) {
      more = true
      continue
    }
    const txids = await selectItemTxids(db, itemId)
    const done = await batchIf(db, [
      assertTipStatement(db, blockchain, tip),
      ...publishChainItemStatements(db, itemId, txids, height, now),
      // Another's block may have held what our node had refused.
      deleteFailedRecordStatement(db, blockchain, 'refused', [itemId]),
    ])
    if (done) published++
  }
  return { published, more }
}

/** Makes the blocks of a paid IPFS item public, some at a time, and then the item. `true` when it is done. */
export async function publishIpfsItem(context: AgentContext, write: WriteJob): Promise<boolean> {
  const { db, bucket, now } = context
  if (write.cid === undefined) throw new Error(`IPFS item ${write.itemId} has no CID`)
  const { done } = await publishBlocks(bucket, write.itemId, CID.parse(write.cid))
  return done && (await batchIf(db, publishIpfsItemStatements(db, write.itemId, now)))
}
