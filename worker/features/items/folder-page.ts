import type { FolderQuery } from '../../../contract/folder.ts'
import { PAGE_ROWS, SEARCHED_NAMES } from '../../../contract/limits.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { parseCursor } from './page-cursor.ts'
import { type ListedFolder, selectFolders, selectFoldersByName } from './sql/folders.ts'

/**
 * A page of the caller's folders directly in `parent`, or, for `none` and without it, of those in none; newest first; with
 * `name` the first page of those that it finds, in any place.
 * @throws {AppError} 400.
 */
export async function folderPage(
  db: D1Database,
  userId: string,
  { name, parent, cursor }: FolderQuery,
): Promise<{ folders: ListedFolder[]; cursor: string | undefined }> {
  if (name !== undefined) {
    if (parent !== undefined || cursor !== undefined)
      throw invalidField('name', 'cannot be combined with parent or cursor.')
    const folders = await selectFoldersByName(db, { userId, part: name, looked: SEARCHED_NAMES, limit: PAGE_ROWS })
    return { folders, cursor: undefined }
  }
  const after = cursor === undefined ? undefined : parseCursor(cursor)
  const parentId = parent === undefined || parent === 'none' ? undefined : parent
  const found = await selectFolders(db, { userId, parentId, after, limit: PAGE_ROWS + 1 })
  const folders = found.slice(0, PAGE_ROWS)
  const last = folders.at(-1)
  return { folders, cursor: found.length > PAGE_ROWS && last ? `${last.createdAt}-${last.id}` : undefined }
}

/** A folder as the API answers it; `createdAt` in Unix seconds. */
export function folderJson({ id, name, blockchain, parentId, item, items, createdAt }: ListedFolder) {
  return { id, name, blockchain, parent: parentId, item, items, createdAt: unixSeconds(createdAt) }
}
