import type { CreatedItem } from '../../../contract/item.ts'
import { objectId } from '../../../protocol/object-id.ts'
import type { Config } from '../../platform/config/config.ts'
import { unavailable } from '../../platform/http/errors.ts'
import { quotaRefusal } from '../auth/quotas.ts'
import { type AllowanceSettings, readAllowance } from './allowance.ts'
import type { NewItemRequest } from './check-new-item.ts'
import { planChunks } from './chunk-plan.ts'
import { evictUnpaidItems } from './evict-unpaid-items.ts'
import { requireOpenFolders } from './require-open-folders.ts'
import { requireOrders } from './require-orders.ts'
import { requireRoom } from './require-room.ts'
import { withinBudgetStatement } from './sql/holdings.ts'
import { insertUploads } from './sql/move-items.ts'
import { insertOrdersStatement } from './sql/orders.ts'
import { ITEMS_USED } from './sql/used.ts'

/** What creating items needs. */
export type ItemContext = { db: D1Database } & AllowanceSettings & Pick<Config, 'databaseBytes' | 'budgets'>

/**
 * Writes new items, all or none, with the statements `beside` them. Returns how each is uploaded, in the order of the
 * request.
 * @throws {AppError} 404, 400 or 409 for a folder, 409 past the account's quotas, 503 where the database is nearly full.
 */
export async function createItems(
  context: ItemContext,
  userId: string,
  requests: readonly NewItemRequest[],
  now: number,
  beside?: (created: readonly CreatedItem[]) => D1PreparedStatement[],
): Promise<CreatedItem[]> {
  const { db, quotas } = context
  const folders = requests.flatMap(({ folder, blockchain, at }) =>
    folder ? [{ id: folder, blockchain, field: `${at}folder` }] : [],
  )
  const read = await readAllowance(db, userId, context, now)
  // A CAR is never paid: whoever may import one has the limits of an account that paid.
  const allowance = requests.every(({ kind }) => kind === 'car') ? { ...read, limits: quotas, hasPaid: true } : read
  const { limits } = allowance
  requireRoom(allowance, context.databaseBytes)
  await requireOpenFolders(db, userId, folders)
  await requireOrders(db, userId, requests)
  const items = requests.map(({ folder, order, kind = null, at: _, ...own }) => {
    const file = { ...own, folderId: folder ?? null, orderId: order ?? null, kind }
    return { id: objectId(now), userId, ...file, ...planChunks(own.size), createdAt: now }
  })
  const unpaidBytes = requests.reduce((sum, { size }) => sum + size, 0)
  await evictUnpaidItems(db, userId, allowance, { items: items.length, bytes: unpaidBytes }, context, now)
  const created = items.map(({ id, chunkSize, chunks }) => ({ id, chunkSize, chunks }))
  const ordered = items.some(({ orderId }) => orderId !== null) ? [insertOrdersStatement(db, userId, items)] : []
  // Others who were read before these items were written would pass the budget together.
  const within = allowance.hasPaid ? [] : [withinBudgetStatement(db, context.budgets)]
  if (!(await insertUploads(db, userId, items, limits, [...within, ...ordered, ...(beside?.(created) ?? [])]))) {
    const refusal = await quotaRefusal(
      db,
      userId,
      ITEMS_USED,
      limits,
      { unpaidItems: items.length, unpaidBytes },
      quotas,
    )
    throw refusal ?? unavailable('busy', 'Other items were made or paid for at the same time. Try again.')
  }
  return created
}
