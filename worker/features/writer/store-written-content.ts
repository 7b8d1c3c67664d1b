import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { copyRecord } from '../../content/chain/bucket-records.ts'
import { listName } from '../../content/chain/content-record.ts'
import { putListMark, SITE_PREFIX } from '../../content/chain/list-mark.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { memoryOf } from '../../platform/flow/memory-budget.ts'
import { storedKey } from '../items/sql/item-objects.ts'
import { selectItemTxids } from '../wallet/sql/transaction-states.ts'
import { finishWriteStatement, type WriteJob } from './sql/writes.ts'

/**
 * Puts the content of a published item where readers find it, so that the first of them waits for no node. May be cut
 * off anywhere and done again.
 */
export async function storeWrittenContent(context: AgentContext, write: WriteJob): Promise<void> {
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
