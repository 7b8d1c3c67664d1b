import type { StorageTarget } from '../../protocol/chains.ts'
import { orderOf } from './known-orders.ts'
import { removeFiles } from './mend-order.ts'
import { copySources } from './order-sources.ts'
import { createOrder, runOrder } from './run-order.ts'

/** Moves files of an order into a new order on `blockchain`. Returns its id. */
export function storeElsewhere(id: string, blockchain: StorageTarget, paths: readonly string[]): string {
  const taken = new Set(paths)
  const order = orderOf(id)
  const files = order?.files.filter(({ path, state }) => taken.has(path) && state !== 'removed') ?? []
  const next = createOrder(
    blockchain,
    files.map((file) => ({ ...file, state: 'waiting', id: undefined, held: 0, problem: undefined })),
    order,
  )
  copySources(id, next)
  void runOrder(next)
  void removeFiles(id, paths)
  return next
}
