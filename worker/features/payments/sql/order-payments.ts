import { type PaymentRequest, REQUEST_COLUMNS, type RequestRow, toRequest } from './payment-requests.ts'

/** Requests that are read for one page of orders. */
const MOST = 2_000

const COLUMNS = REQUEST_COLUMNS.replaceAll(/\w+/g, 'asked.$&')

const OF_ORDERS = `json_each(?2) AS wanted
  CROSS JOIN items INDEXED BY items_by_order ON items.user_id = ?1 AND items.order_id = wanted.value
  CROSS JOIN payment_request_items AS part ON part.item_id = items.id
  CROSS JOIN payment_requests AS asked ON asked.id = part.request_id`

/** The requests that pay, or paid, for something of these orders of a user, by order, newest first. */
export async function selectRequestsOfOrders(
  db: D1Database,
  userId: string,
  orderIds: readonly string[],
): Promise<Map<string, PaymentRequest[]>> {
  const { results } = await db
    .prepare(
      `SELECT DISTINCT items.order_id AS orderId, ${COLUMNS} FROM ${OF_ORDERS}
       ORDER BY asked.created_at DESC, asked.id DESC LIMIT ${MOST}`,
    )
    .bind(userId, JSON.stringify(orderIds))
    .all<RequestRow & { orderId: string }>()
  const requests = new Map<string, PaymentRequest[]>(orderIds.map((id) => [id, []]))
  for (const { orderId, ...row } of results) requests.get(orderId)?.push(toRequest(row))
  return requests
}

/** Requests for something of an order of a user that wait for money. */
export async function selectWaitingOfOrder(
  db: D1Database,
  userId: string,
  orderId: string,
  limit: number,
): Promise<(PaymentRequest & { address: string })[]> {
  const { results } = await db
    .prepare(
      `SELECT DISTINCT ${COLUMNS} FROM ${OF_ORDERS}
       WHERE part.waiting = 1 AND asked.address IS NOT NULL ORDER BY asked.id LIMIT ?3`,
    )
    .bind(userId, JSON.stringify([orderId]), limit)
    .all<RequestRow & { address: string }>()
  return results.map((row) => ({ ...toRequest(row), address: row.address }))
}
