import { HooklineError, isRejected } from '../http/api-error.ts'
import type { ordersOf } from '../resources/orders.ts'
import type { OrderJournal } from './order-journal.ts'

/** Refusals of this library after which the same order cannot go on as it is. */
const REFUSALS = new Set(['too_dear', 'quota_exceeded'])

/** Whether the order was refused, so that the same call again would be refused, too. */
export function isRefusal(error: unknown): boolean {
  return isRejected(error) || (error instanceof HooklineError && error.status === 0 && REFUSALS.has(error.code))
}

/**
 * Deletes what an order made at the service, and forgets it, if none of its bytes were sent. If the service does not
 * answer, the next run of the order continues with it.
 */
export async function dropRefused(orders: Pick<ReturnType<typeof ordersOf>, 'delete'>, journal: OrderJournal) {
  const { id, files, folders, linked, directory } = journal.state
  const isSent = [...files.values()].some(({ step }) => step !== 'created')
  if (isSent || directory !== undefined || folders.size + files.size + linked.size === 0) return
  try {
    await orders.delete(id)
  } catch (error) {
    if (error instanceof HooklineError) return
    throw error
  }
  await journal.begin()
}
