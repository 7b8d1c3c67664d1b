import type { Env } from '../../platform/bindings.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError } from '../../platform/http/errors.ts'
import { purgeItems } from '../items/purge-item.ts'
import { requireItem } from '../items/require-item.ts'
import { isUnpaid } from '../items/sql/item-state.ts'
import type { Item } from '../items/sql/items.ts'
import { assertRemovableStatement, removeItemStatements } from '../items/sql/move-items.ts'
import { deleteEmptyOrdersStatement } from '../items/sql/orders.ts'
import { assertNoMoneyStatement } from './sql/outputs.ts'
import { moveRequestStatements, selectWaitingRequest } from './sql/payment-requests.ts'

/** Rounds of reading and writing: a request may be made, or expire, or the item go, between the two. */
const ROUNDS = 3

/**
 * Removes the caller's unpaid item at once, for everybody, and cancels the payment request that waits for it; what
 * it left in the bucket goes in the background, and the sweep deletes what that leaves.
 * @throws {AppError} 404, 409 once money was seen for it, or it is paid, or part of a directory.
 */
export async function deleteItem(
  env: Env,
  userId: string,
  id: string,
  now: number,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<void> {
  const item = await remove(env.DB, userId, id, now)
  // A directory's files go with it: all of that is the sweep's work.
  if (item.directoryOf) return
  waitUntil(purgeItems(env, [item]).catch((error: unknown) => console.error('purge_failed', id, error)))
}

async function findDeletable(db: D1Database, userId: string, id: string): Promise<Item> {
  const item = await requireItem(db, userId, id)
  if (item.partOf) {
    const message = `This file is part of the directory ${item.partOf}. Delete the directory instead.`
    throw new AppError(409, 'part_of_directory', message)
  }
  if (!isUnpaid(item.state)) {
    throw new AppError(409, 'already_paid', 'This item is paid for and cannot be deleted.')
  }
  return item
}

async function remove(db: D1Database, userId: string, id: string, now: number): Promise<Item> {
  for (let round = 0; round < ROUNDS; round++) {
    const item = await findDeletable(db, userId, id)
    const request = await selectWaitingRequest(db, [item.id])
    const cancellation = request
      ? [
          ...moveRequestStatements(db, request, ['open'], 'cancelled', now),
          assertNoMoneyStatement(db, request.blockchain, request.address),
        ]
      : []
    const removal = [
      assertRemovableStatement(db, item.id),
      ...removeItemStatements(db, item.id, now),
      deleteEmptyOrdersStatement(db, [item.id]),
    ]
    if (await batchIf(db, [...cancellation, ...removal])) return item
  }
  throw new AppError(409, 'payment_seen', 'A payment for this item has been seen, so it cannot be deleted.')
}
