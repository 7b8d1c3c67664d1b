import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { setAside } from '../../chain/follower/each-record.ts'
import { deleteSetAsideStatement, selectSetAside } from '../../chain/follower/set-aside.ts'
import { updateWaitingMessage } from '../items/sql/items.ts'
import { BEING_WRITTEN } from '../items/sql/move-items.ts'
import type { OwnTransaction } from '../wallet/sql/transactions.ts'

/** An item or a withdrawal that rests because of what the node said; `message` is for its payer. */
export interface Rest {
  id: string
  reason: string
  message: string
}

/** The items and withdrawals that transactions are for. */
export function carriedBy(transactions: readonly OwnTransaction[]): string[] {
  return [...new Set(transactions.flatMap(({ itemId, withdrawalId }) => itemId ?? withdrawalId ?? []))]
}

/**
 * Items and withdrawals whose transactions the node refuses rest for a while, longer each time, and items say so; those
 * of which it has taken one rest no more.
 */
export async function restRefused(
  context: AgentContext,
  taken: readonly string[],
  rests: readonly Rest[],
): Promise<void> {
  const { db, blockchain } = context
  if (rests.length === 0 && taken.length === 0) return
  const aside = new Map((await selectSetAside(db, blockchain, 'refused')).map((row) => [row.id, row]))
  const accepted = taken.filter((id) => aside.has(id))
  if (accepted.length > 0) {
    await deleteSetAsideStatement(db, blockchain, 'refused', accepted).run()
    await updateWaitingMessage(db, accepted, BEING_WRITTEN)
  }
  for (const { id, reason, message } of new Map(rests.map((one) => [one.id, one])).values()) {
    await setAside(context, 'refused', id, new Error(reason), aside.get(id)?.tries)
    await updateWaitingMessage(db, [id], message)
  }
}
