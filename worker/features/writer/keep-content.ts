import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { encodingOf } from '../../content/chain/brotli.ts'
import { putRecord } from '../../content/chain/bucket-records.ts'
import { listName } from '../../content/chain/content-record.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { storedKey } from '../items/sql/item-objects.ts'
import { selectItemTxids } from '../wallet/sql/transaction-states.ts'
import { finishWriteStatement, type WriteJob } from './sql/writes.ts'

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
