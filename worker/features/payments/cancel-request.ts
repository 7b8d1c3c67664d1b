import { readReceived } from '../../chain/rpc/address-methods.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { AppError, notFound } from '../../platform/http/errors.ts'
import { deleteEmptyFoldersStatement } from '../items/sql/folders.ts'
import { removeItemStatements } from '../items/sql/move-items.ts'
import { deleteEmptyOrdersStatement } from '../items/sql/orders.ts'
import { selectPayableItems } from '../items/sql/payable-items.ts'
import { isAlive } from './decide-request.ts'
import { type PaymentContext, withWallet } from './payment-context.ts'
import { assertNoMoneyStatement, selectOutputsByAddress } from './sql/outputs.ts'
import { moveRequestStatements, type PaymentRequest, selectRequestByAddress } from './sql/payment-requests.ts'

/**
 * Returns whether items remain (`kept`), because they are paid or are in another open request. Cancels a request to
 * which nothing was paid, and removes its other items with their folders and chunks. Its address is still watched:
 * money that arrives later becomes balance.
 * @throws {AppError} 404 if no live request of the caller has the address; 409 if money was seen; 503, with nothing
 *   removed, if the node can't be queried for payments.
 */
export async function cancelRequest(
  context: PaymentContext,
  userId: string,
  address: string,
): Promise<{ kept: boolean }> {
  const { db, now } = context
  const request = await findLiveRequest(db, userId, address)
  if (request.state === 'seen' || request.state === 'settled' || (await hasMoney(context, request, address))) {
    throw moneySeen()
  }
  const cancelled = await batchIf(db, [
    ...moveRequestStatements(db, request, ['open', 'expired'], 'cancelled', now),
    assertNoMoneyStatement(db, request.blockchain, address),
    // An item remains if another request has paid for it since this one expired, or waits for its payment.
    ...request.itemIds.flatMap((id) => removeItemStatements(db, id, now)),
    deleteEmptyFoldersStatement(db, request.itemIds),
    deleteEmptyOrdersStatement(db, request.itemIds),
  ])
  if (cancelled) return { kept: (await selectPayableItems(db, userId, request.itemIds)).length > 0 }
  // Two calls may cancel at once. For the second one the request no longer exists.
  await findLiveRequest(db, userId, address)
  throw moneySeen()
}

async function findLiveRequest(db: D1Database, userId: string, address: string): Promise<PaymentRequest> {
  const request = await selectRequestByAddress(db, userId, address)
  if (request && request.state !== 'cancelled') return request
  throw notFound('You have no payment request with this address.')
}

function moneySeen(): AppError {
  return new AppError(
    409,
    'payment_seen',
    'A payment to this address has been seen, so the request cannot be cancelled.',
  )
}

/**
 * Whether money was received: as the agent has recorded it or, if it has recorded none, as the node reports it.
 * @throws {AppError} 503
 */
async function hasMoney(context: PaymentContext, request: PaymentRequest, address: string): Promise<boolean> {
  const outputs = await selectOutputsByAddress(context.db, request.blockchain, [address])
  if (outputs.some(isAlive)) return true
  return await withWallet(context, request.blockchain, async (rpc) => (await readReceived(rpc, address)) > 0n)
}
