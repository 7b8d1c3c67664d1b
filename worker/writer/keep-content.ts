import { encodingOf } from '../chain-content/brotli.ts'
import { putRecord } from '../chain-content/bucket-records.ts'
import { listName } from '../chain-content/content-record.ts'
import type { AgentContext } from '../chain-follower/agent-context.ts'
import { batchIf } from '../storage/guarded-batch.ts'
import { storedKey } from '../storage/items/item-objects.ts'
import { selectItemTxids } from '../storage/writes/transaction-states.ts'
import { finishWriteStatement, type WriteJob } from '../storage/writes/writes.ts'

/**
 * Puts the content of a published item where readers find it, so that the first of them waits for no node. May be cut
 * off anywhere and done again.
 */
export async function keepContent(context: AgentContext, write: WriteJob): Promise<void> {
  const { db, bucket, config } = context
  const object = write.target === 'IPFS' ? null : await bucket.get(storedKey(write.itemId))
  if (object && write.target !== 'IPFS') {
    const bytes = new Uint8Array(await object.arrayBuffer())
    const txids = await selectItemTxids(db, write.itemId)
    const encoding = await encodingOf([bytes], config.maxDecodedBytes)
    await putRecord(bucket, listName({ blockchain: write.target, txids }), { bytes, encoding })
  }
  await batchIf(db, [finishWriteStatement(db, write.itemId)])
}
