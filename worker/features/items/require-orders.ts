import type { StorageTarget } from '../../../protocol/chains.ts'
import { AppError } from '../../platform/http/errors.ts'
import { selectOrderTargets } from './sql/orders.ts'

/** @throws {AppError} 409 where something is for an order of the caller that has another target. */
export async function requireOrders(
  db: D1Database,
  userId: string,
  wanted: readonly { order?: string | null | undefined; blockchain: StorageTarget }[],
): Promise<void> {
  const ids = [...new Set(wanted.flatMap(({ order }) => order ?? []))]
  if (ids.length === 0) return
  const targets = await selectOrderTargets(db, userId, ids)
  for (const { order, blockchain } of wanted) {
    if (!order) continue
    const before = targets.get(order) ?? blockchain
    if (before !== blockchain) {
      throw new AppError(409, 'target_differs', `The order ${order} is for ${before}, not for ${blockchain}.`)
    }
    targets.set(order, before)
  }
}
