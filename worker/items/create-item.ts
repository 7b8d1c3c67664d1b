import type { StorageTarget } from '../../protocol/chains.ts'
import { objectId } from '../../protocol/object-id.ts'
import { quotaRefusal } from '../accounts/quotas.ts'
import type { Config } from '../config/config.ts'
import { AppError, invalidField, notFound, unavailable } from '../http/errors.ts'
import type { RecordAnswer } from '../idempotency/idempotent.ts'
import { type Folder, selectDirectoryItemOf, selectFolderAncestry } from '../storage/items/folders.ts'
import { insertUpload } from '../storage/items/move-items.ts'
import { planChunks } from './chunk-plan.ts'
import type { NewItemRequest } from './parse-new-item.ts'

/**
 * Writes a new item and says how it is uploaded.
 * @throws {AppError} 404, 400 or 409 for its folder, 409 past the account's quotas.
 */
export async function createItem(
  { db, quotas, record }: { db: D1Database; quotas: Config['quotas']; record?: RecordAnswer },
  userId: string,
  request: NewItemRequest,
  now: number,
) {
  const { name, mimetype, blockchain, size } = request
  if (request.folder !== undefined) await requireOpenFolder(db, userId, request.folder, blockchain, 'folder')
  const id = objectId(now)
  const plan = planChunks(size)
  const folderId = request.folder ?? null
  const item = { id, userId, folderId, name, mimetype, blockchain, size, ...plan, createdAt: now }
  const created = { id, ...plan }
  if (!(await insertUpload(db, item, quotas, record?.({ status: 201, body: created })))) {
    const refusal = await quotaRefusal(db, userId, quotas, { unpaidItems: 1, unpaidBytes: size })
    throw refusal ?? unavailable('busy', 'Other items of yours were being made or paid for. Try again.')
  }
  return created
}

/**
 * The folder and those it is in, innermost first, if something may still be put into it.
 * @throws {AppError} 404 for somebody else's, 400 for one of another target, 409 for a merged one.
 */
export async function requireOpenFolder(
  db: D1Database,
  userId: string,
  id: string,
  blockchain: StorageTarget,
  field: string,
): Promise<Folder[]> {
  const ancestry = await selectFolderAncestry(db, id)
  const folder = ancestry[0]
  if (folder?.userId !== userId) throw notFound('You have no folder with this id.')
  if (folder.blockchain !== blockchain) {
    throw invalidField(field, `is a folder for ${folder.blockchain}, not for ${blockchain}.`)
  }
  const merged = await selectDirectoryItemOf(
    db,
    ancestry.map((above) => above.id),
  )
  if (merged) throw new AppError(409, 'folder_merged', 'This folder has been merged; nothing can be added to it.')
  return ancestry
}
