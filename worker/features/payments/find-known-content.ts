import type { KnownItem, WantedContent } from '../../../contract/item.ts'
import type { Denylist } from '../../content/denylist/denylist.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { findKnownItems } from '../items/find-known-items.ts'
import { stateOfRow, statusText } from '../items/sql/item-state.ts'
import { selectWaitingPayments } from './sql/payment-requests.ts'

/** What the caller's account has of a content, each with the request that waits for its money. @throws {AppError} 422. */
export async function findKnownContent(
  db: D1Database,
  denied: Denylist,
  userId: string,
  wanted: WantedContent,
): Promise<KnownItem[]> {
  const items = await findKnownItems(db, denied, userId, wanted)
  const unpaid = items.filter(({ status }) => stateOfRow(status, null) === 'unpaid').map(({ id }) => id)
  const waiting = unpaid.length === 0 ? [] : await selectWaitingPayments(db, [...new Set(unpaid)])
  const requests = new Map(waiting.map((request) => [request.itemId, request]))
  return items.map(({ index, id, status }) => {
    const request = requests.get(id)
    return {
      ...(index >= 0 && { index }),
      id,
      status: statusText(stateOfRow(status, null)),
      ...(request && {
        payment: { address: request.address, items: request.items, expiresAt: unixSeconds(request.expiresAt) },
      }),
    }
  })
}
