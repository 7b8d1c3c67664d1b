import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { resumeItemsStatements } from '../items/sql/move-items.ts'
import { clearReplannedStatement, selectUncontested } from '../items/sql/writes.ts'

/** Resumes items that were stopped because of a transaction that is dead now, or whose coin is unspent again. */
export async function resumeUncontested({ db, blockchain, now }: AgentContext): Promise<void> {
  const itemIds = await selectUncontested(db, blockchain)
  if (itemIds.length === 0) return
  await batchIf(db, [...resumeItemsStatements(db, itemIds, 'parked', now), clearReplannedStatement(db, itemIds)])
}
