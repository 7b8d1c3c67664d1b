import { assertion } from '../guarded-batch.ts'
import type { PaymentRequest } from '../payments/payment-requests.ts'

/** The statement that fails its batch unless every item waits for payment. */
export function assertUnpaid(db: D1Database, userId: string, itemIds: readonly string[]): D1PreparedStatement {
  return assertion(
    db,
    `(SELECT COUNT(*) FROM items WHERE id IN (SELECT value FROM json_each(?)) AND user_id = ? AND status = 402
       AND part_of IS NULL AND removed_at IS NULL) = ?`,
    JSON.stringify(itemIds),
    userId,
    itemIds.length,
  )
}

/** The statements that turn the items of a paid request from `402` to `202` and queue them. */
export function acceptItems(
  db: D1Database,
  request: Pick<PaymentRequest, 'id' | 'userId' | 'blockchain' | 'target' | 'itemIds'>,
  now: number,
): D1PreparedStatement[] {
  const ids = JSON.stringify(request.itemIds)
  return [
    assertUnpaid(db, request.userId, request.itemIds),
    db
      .prepare(
        `UPDATE items SET status = 202, message = 'Paid. It is being written.', updated_at = ?
         WHERE id IN (SELECT value FROM json_each(?)) AND status = 402`,
      )
      .bind(now, ids),
    db
      .prepare(
        `INSERT INTO writes (item_id, blockchain, target, request_id, state, created_at)
         SELECT value, ?, ?, ?, 'queued', ? FROM json_each(?)`,
      )
      .bind(request.blockchain, request.target, request.id, now, ids),
  ]
}
