import type { NewFolder } from '../../../contract/folder.ts'
import { MAX_FOLDER_LEVELS } from '../../../contract/limits.ts'
import { objectId } from '../../../protocol/object-id.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError, invalidField, unavailable } from '../../platform/http/errors.ts'
import { quotaRefusal } from '../auth/quotas.ts'
import { requireOpenFolders } from './require-open-folders.ts'
import { requireOrders } from './require-orders.ts'
import { selectDirectoryItemOf, upsertFolder } from './sql/folders.ts'
import { ITEMS_USED } from './sql/used.ts'

/**
 * A new folder's id, or that of the caller's folder with this name there: an open one where a `newVersion` is wanted.
 * @throws {AppError} 404 and 400 for the parent, 409 for it or past the account's quota.
 */
export async function createFolder(
  { db, quotas }: { db: D1Database; quotas: Config['quotas'] },
  userId: string,
  { name, blockchain, parent, order, newVersion = false }: NewFolder,
  now: number,
): Promise<string> {
  if (parent) {
    const above = await requireOpenFolders(db, userId, [{ id: parent, blockchain, field: 'parent' }])
    if ((above.get(parent)?.length ?? 0) >= MAX_FOLDER_LEVELS) {
      throw invalidField('parent', `is ${MAX_FOLDER_LEVELS} folders deep already.`)
    }
  }
  await requireOrders(db, userId, [{ order, blockchain }])
  const folder = {
    id: objectId(now),
    userId,
    parentId: parent ?? null,
    name,
    blockchain,
    orderId: order ?? null,
    createdAt: now,
  }
  const id = await upsertFolder(db, folder, quotas.folders, newVersion)
  if (newVersion && id !== undefined && id !== folder.id && (await selectDirectoryItemOf(db, [id]))) {
    throw new AppError(409, 'merging', 'The folder of this name is being merged. Try again when the merge is done.')
  }
  if (id !== undefined) return id
  const refusal = await quotaRefusal(db, userId, ITEMS_USED, quotas, { folders: 1 })
  throw refusal ?? unavailable('busy', 'Another request of yours was creating folders. Try again.')
}
