import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { WINDOW } from '../../../chain/follower/blocks.ts'
import { forgetBundlesStatement, selectFinalBundles } from '../../transactions/sql/signed-bytes.ts'

/** Objects deleted in one step. */
const BATCH = 100

/** Deletes signed bytes that no reorganisation can make us send again. */
export async function deleteFinalBytes(context: AgentContext, tip: BlockPosition): Promise<void> {
  const { db, bucket, blockchain } = context
  const height = tip.height - WINDOW
  const bundles = await selectFinalBundles(db, blockchain, height, BATCH)
  if (bundles.length === 0) return
  await bucket.delete(bundles)
  await forgetBundlesStatement(db, blockchain, height, bundles).run()
}
