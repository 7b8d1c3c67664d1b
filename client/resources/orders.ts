import { readerOf } from '../answers/read-answer.ts'
import { type List, listOf } from '../http/pages.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type { Order } from '../types.ts'
import type { CallOptions } from './call-options.ts'

const readOrder = readerOf('Order')

/** What was stored together: items and folders that were made with one `order`. */
export function ordersOf(transport: Transport) {
  return {
    /** The caller's orders, newest first. */
    list: ({ signal }: CallOptions = {}): List<Order> =>
      listOf(transport, () => ({ path: '/v0/order', signal }), 'orders', readOrder),

    /**
     * One order, by its UUID.
     * @throws {ApiError} 404
     */
    async get(id: string, { signal }: CallOptions = {}): Promise<Order> {
      return readOrder((await transport.send({ method: 'GET', path: pathTo`/v0/order/${id}`, signal })).body)
    },

    /** Removes its unpaid items; 409 if a payment for it was seen, or if all of it is paid; 503 if more are left: repeat it. */
    async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'DELETE', path: pathTo`/v0/order/${id}`, signal })
    },
  }
}
