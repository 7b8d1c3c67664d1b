import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { recordFailure } from '../../chain/follower/each-record.ts'
import { deleteFailedRecordStatement, selectFailedRecords } from '../../chain/follower/failed-records.ts'
import { updateWaitingMessage } from '../items/sql/items.ts'
import { BEING_WRITTEN } from '../items/sql/move-items.ts'
import type { OwnTransaction } from '../wallet/sql/transactions.ts'

/** An item or a withdrawal that backs off because of an answer of the node; `message` is for its payer. */
export interface Backoff {
  id: string
  reason: string
  message: string
}

/** The items and withdrawals that transactions are for. */
export function subjectIds(transactions: readonly OwnTransaction[]): string[] {
  return [...new Set(transactions.flatMap(({ itemId, withdrawalId }) => itemId ?? withdrawalId ?? []))]
}

/**
 * Records the backoff of items and withdrawals whose transactions the node refuses, longer each time, with a message
 * for items. Ends the backoff of those of which it has accepted (`taken`) a transaction.
 */
export async function backOffRejected(
  context: AgentContext,
  taken: readonly string[],
  backoffs: readonly Backoff[],
): Promise<void> {
  const { db, blockchain } = context
  if (backoffs.length === 0 && taken.length === 0) return
  const failedRecords = new Map((await selectFailedRecords(db, blockchain, 'refused')).map((row) => [row.id, row]))
  const accepted = taken.filter((id) => failedRecords.has(id))
  if (accepted.length > 0) {
    await deleteFailedRecordStatement(db, blockchain, 'refused', accepted).run()
    await updateWaitingMessage(db, accepted, BEING_WRITTEN)
  }
  for (const { id, reason, message } of new Map(backoffs.map((one) => [one.id, one])).values()) {
    await recordFailure(context, 'refused', id, new Error(reason), failedRecords.get(id)?.tries)
    await updateWaitingMessage(db, [id], message)
  }
}
