import { FROM_CURSOR, OrderId } from '../fields.ts'
import { SHORT_PAGE_ROWS } from '../limits.ts'
import { json, operations, page } from '../operation.ts'
import { Order } from '../order.ts'

/** What clients store together. */
export const ORDER_OPERATIONS = operations('Storing', {
  'GET /v0/order': {
    id: 'listOrders',
    summary: 'List your orders',
    description: `What was made with one \`order\`; newest first, ${SHORT_PAGE_ROWS} a page. \`GET /v0/item?order=\` lists the files of one.`,
    token: 'store',
    keys: ['read', 'store'],
    query: FROM_CURSOR,
    answers: { 200: page('A page.', 'orders', Order) },
  },
  'GET /v0/order/{id}': {
    id: 'readOrder',
    summary: 'Look at an order',
    token: 'store',
    keys: ['read', 'store'],
    path: { id: OrderId },
    answers: { 200: json('The order.', Order) },
  },
  'DELETE /v0/order/{id}': {
    id: 'deleteOrder',
    summary: 'Remove what is unpaid of an order',
    description:
      'Cancels the payment requests that wait for it. If items are paid, they and the order remain. 503 (`busy`) if it is too much for one request: repeat it, and the rest is removed.',
    token: 'store',
    keys: ['store'],
    path: { id: OrderId },
    answers: { 204: 'What was unpaid is gone.', 409: 'Money has been seen for it, or all of it is paid for.' },
    refuses: [503],
  },
})
