import { MAX_FOLDER_LEVELS, SHORT_PAGE_ROWS } from '../../../contract/limits.ts'
import { ITEM_STATUS_NUMBERS } from '../../../contract/states.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { cutPage, type PageKey, pageCursor } from '../../platform/d1/page-key.ts'
import { coinsJson, listJson } from '../../platform/http/coins-json.ts'
import { AppError, notFound, unavailable } from '../../platform/http/errors.ts'
import { removeOrderItems } from '../items/sql/move-items.ts'
import {
  deleteEmptyFoldersOfOrder,
  deleteEmptyOrder,
  type Order,
  selectOrder,
  selectOrders,
} from '../items/sql/orders.ts'
import { selectRequestsOfOrders, selectWaitingOfOrder } from './sql/order-payments.ts'
import { assertNoMoneyStatement } from './sql/outputs.ts'
import { moveRequestStatements, type PaymentRequest } from './sql/payment-requests.ts'

/** Maximum number of payment requests in the response for one order. */
const MAX_PAYMENTS = 50
/** Payment requests per batch. Each needs six statements, and D1 allows 1,000 per invocation. */
const REQUESTS_PER_BATCH = 50
const MAX_CANCEL_BATCHES = 3
/** Batches of 1,000 items each. They delete the default maximum of unpaid items of an account (20,000), and one finds none left. */
const MAX_REMOVE_BATCHES = 21

/** A page of the caller's orders, newest first, as JSON text. */
export async function orderPage(db: D1Database, userId: string, after: PageKey | undefined): Promise<string> {
  const found = await selectOrders(db, userId, after, SHORT_PAGE_ROWS + 1)
  const { shown, cursor } = cutPage(found, pageCursor, SHORT_PAGE_ROWS)
  return listJson('orders', await withPayments(db, userId, shown), cursor)
}

/** An order of the caller, as JSON text. @throws {AppError} 404. */
export async function readOrder(db: D1Database, userId: string, id: string): Promise<string> {
  const [text = ''] = await withPayments(db, userId, [await requireOrder(db, userId, id)])
  return text
}

/**
 * Deletes the unpaid items of an order of the caller, and cancels its open payment requests. The scheduled cleanup deletes
 * the R2 objects later. If a call is interrupted at any point, it can be repeated.
 * @throws {AppError} 404; 409 if a payment was seen, or if all items are paid; 503 if the request must be repeated.
 */
export async function deleteOrder(db: D1Database, userId: string, id: string, now: number): Promise<void> {
  const { counts } = await requireOrder(db, userId, id)
  await cancelRequests(db, userId, id, now)
  const removed = await removeItems(db, userId, id, now)
  if (removed === 0 && Object.values(counts).some((files) => files > 0)) {
    throw new AppError(409, 'already_paid', 'All of this order is paid for, so it cannot be removed.')
  }
  for (let level = 0; level < MAX_FOLDER_LEVELS && (await deleteEmptyFoldersOfOrder(db, userId, id)); level++);
  await deleteEmptyOrder(db, userId, id)
}

async function cancelRequests(db: D1Database, userId: string, id: string, now: number): Promise<void> {
  for (let batches = 0; batches < MAX_CANCEL_BATCHES; batches++) {
    const waiting = await selectWaitingOfOrder(db, userId, id, REQUESTS_PER_BATCH)
    if (waiting.length === 0) return
    const cancelled = await batchIf(
      db,
      waiting.flatMap((request) => [
        ...moveRequestStatements(db, request, ['open'], 'cancelled', now),
        assertNoMoneyStatement(db, request.blockchain, request.address),
      ]),
    )
    if (!cancelled) {
      throw new AppError(409, 'payment_seen', 'A payment for this order has been seen, so it cannot be removed.')
    }
  }
  throw unavailable(
    'busy',
    'This order has many open payment requests; some of them were cancelled. Repeat the request to cancel the others.',
  )
}

/** The number of unpaid items removed. @throws {AppError} 503 if more may be left. */
async function removeItems(db: D1Database, userId: string, orderId: string, now: number): Promise<number> {
  let removed = 0
  for (let batches = 0; batches < MAX_REMOVE_BATCHES; batches++) {
    const batch = await removeOrderItems(db, { userId, orderId }, now)
    if (batch === 0) return removed
    removed += batch
  }
  throw unavailable(
    'busy',
    'This order has many unpaid items; some of them were removed. Repeat the request to remove the others.',
  )
}

async function requireOrder(db: D1Database, userId: string, id: string): Promise<Order> {
  const order = await selectOrder(db, userId, id)
  if (!order) throw notFound('You have no order with this id.')
  return order
}

async function withPayments(db: D1Database, userId: string, orders: readonly Order[]): Promise<string[]> {
  if (orders.length === 0) return []
  const ids = orders.map(({ id }) => id)
  const requests = await selectRequestsOfOrders(db, userId, ids)
  return orders.map((order) => orderJson(order, requests.get(order.id) ?? []))
}

function orderJson({ id, name, blockchain, createdAt, counts }: Order, requests: readonly PaymentRequest[]): string {
  const fields = {
    id,
    name,
    blockchain,
    createdAt: unixSeconds(createdAt),
    counts: Object.fromEntries(ITEM_STATUS_NUMBERS.map((status) => [status, counts[status] ?? 0])),
  }
  const payments = requests.slice(0, MAX_PAYMENTS).map(({ address = null, blockchain: paidIn, ...request }) => {
    const { state, amount, expiresAt } = request
    return coinsJson({ address, paidIn, state, expiresAt: unixSeconds(expiresAt) }, { amount })
  })
  return coinsJson(fields, {}, { payments: `[${payments.join()}]` })
}
