import type { StorageTarget } from '../../protocol/chains.ts'
import { objectId } from '../../protocol/object-id.ts'
import { invalidField } from '../http/errors.ts'
import { upsertFolder } from '../storage/items/folders.ts'
import { requireOpenFolders } from './require-open-folders.ts'

/** How deep folders go: a path stays short, and a walk through the tree bounded. */
const MAX_LEVELS = 32

/** A new folder's id, or that of the caller's folder with this name there. @throws {AppError} 404, 400, 409. */
export async function createFolder(
  db: D1Database,
  userId: string,
  request: { name: string; blockchain: StorageTarget; parent: string | undefined },
  now: number,
): Promise<string> {
  const { name, blockchain, parent } = request
  if (parent !== undefined) {
    const above = await requireOpenFolders(db, userId, [{ id: parent, blockchain, field: 'parent' }])
    if ((above.get(parent)?.length ?? 0) >= MAX_LEVELS) {
      throw invalidField('parent', `is ${MAX_LEVELS} folders deep already.`)
    }
  }
  return await upsertFolder(db, {
    id: objectId(now),
    userId,
    parentId: parent ?? null,
    name,
    blockchain,
    createdAt: now,
  })
}
