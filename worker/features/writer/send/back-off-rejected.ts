import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import { recordFailure } from '../../../chain/follower/each-record.ts'
import { deleteFailedRecordStatement, selectFailedRecords } from '../../../chain/follower/failed-records.ts'
import { updateWaitingMessage } from '../../items/sql/items.ts'
import { BEING_WRITTEN } from '../../items/sql/move-items.ts'
import { noteWaitingStatement } from '../../payouts/sql/withdrawal-reasons.ts'
import type { OwnTransaction } from '../../transactions/sql/transactions.ts'

/** What transactions are for: an item, or a withdrawal. */
export interface Subject {
  id: string
  isWithdrawal: boolean
}

/** An item or a withdrawal that backs off because of an answer of the node; `message` is for its owner. */
export interface Backoff extends Subject {
  reason: string
  message: string
}

/** The items and withdrawals that transactions are for. */
export function subjectsOf(transactions: readonly OwnTransaction[]): Subject[] {
  const subjects = transactions.flatMap(({ itemId, withdrawalId }) => {
    const id = itemId ?? withdrawalId
    return id === undefined ? [] : { id, isWithdrawal: itemId === undefined }
  })
  return [...new Map(subjects.map((one) => [one.id, one])).values()]
}

/** The ids of what transactions are for. */
export function subjectIds(transactions: readonly OwnTransaction[]): string[] {
  return subjectsOf(transactions).map(({ id }) => id)
}

/**
 * Records the backoff of items and withdrawals whose transactions the node refuses, longer each time, with a message
 * for their owners. Ends the backoff of those of which it has accepted (`taken`) a transaction.
 */
export async function backOffRejected(
  context: AgentContext,
  taken: readonly string[],
  backoffs: readonly Backoff[],
): Promise<void> {
  const { db, blockchain, now } = context
  if (backoffs.length === 0 && taken.length === 0) return
  const failedRecords = new Map((await selectFailedRecords(db, blockchain, 'refused')).map((row) => [row.id, row]))
  const accepted = taken.filter((id) => failedRecords.has(id))
  if (accepted.length > 0) {
    await deleteFailedRecordStatement(db, blockchain, 'refused', accepted).run()
    await updateWaitingMessage(db, accepted, BEING_WRITTEN)
  }
  for (const { id, isWithdrawal, reason, message } of new Map(backoffs.map((one) => [one.id, one])).values()) {
    await recordFailure(context, 'refused', id, new Error(reason), failedRecords.get(id)?.tries)
    if (isWithdrawal) await noteWaitingStatement(db, id, message, now).run()
    else await updateWaitingMessage(db, [id], `Paid. ${message}`)
  }
}
