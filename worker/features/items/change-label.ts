import type { FolderChange } from '../../../contract/folder.ts'
import type { ItemChange } from '../../../contract/item.ts'
import { MAX_FOLDER_LEVELS } from '../../../contract/limits.ts'
import { DIRECTORY } from '../../../contract/media-type.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { AppError, invalidField, notFound } from '../../platform/http/errors.ts'
import { forgetStoredItem } from './content/find-stored-item.ts'
import { requireItem } from './require-item.ts'
import { requireOpenFolders } from './require-open-folders.ts'
import { type ListedFolder, selectFolderAncestries, selectListedFolder, selectOwnFolder } from './sql/folders.ts'
import type { PublishedItem } from './sql/items.ts'
import {
  hasFolderNamed,
  hasItemNamed,
  selectFolderHeight,
  updateFolderLabel,
  updateHidden,
  updateItemLabel,
} from './sql/labels.ts'

/**
 * Renames, moves and hides the caller's item, and corrects its media type, which changes nothing of what is stored; for a merged
 * folder, the folder with it.
 * @throws {AppError} 404 for the item or the folder; 409; 400 for the type of a directory.
 */
export async function changeItem(
  db: D1Database,
  userId: string,
  id: string,
  change: ItemChange,
  now: number,
): Promise<PublishedItem> {
  const item = await requireItem(db, userId, id)
  if (item.partOf) throw insideMerged()
  if (change.mimetype !== undefined) requireOwnType(item, change.mimetype)
  if (change.hidden !== undefined) await updateHidden(db, { id, userId, hidden: change.hidden }, now)
  if (item.directoryOf) {
    await changeFolder(db, userId, item.directoryOf, { name: change.name, parent: change.folder }, now)
    return await requireItem(db, userId, id)
  }
  const { name = item.name, mimetype = item.mimetype } = change
  const label = { name, mimetype, folderId: orBefore(change.folder, item.folderId) }
  if (label.folderId !== null) {
    await requirePlace(db, userId, label.folderId, item.blockchain, 'folder')
    const taken = [hasItemNamed(db, label, id), hasFolderNamed(db, { ...item, ...label }, id)]
    if ((await Promise.all(taken)).includes(true)) throw nameTaken(label.name)
  }
  if (label.folderId !== item.folderId) refuseMove(item, label.folderId)
  if (!(await updateItemLabel(db, { id, userId, ...label }, now))) throw changedMeanwhile()
  if (mimetype !== item.mimetype || name !== item.name) forgetStoredItem(id)
  return await requireItem(db, userId, id)
}

/** @throws {AppError} where an item is a directory, whose files have types by their names, or is to be one. */
function requireOwnType(item: PublishedItem, wanted: string): void {
  if (item.directoryOf !== null || item.mimetype === DIRECTORY) {
    const message = 'A website has no media type of its own: that of each file is by its name, or set in `_headers`.'
    throw new AppError(409, 'no_own_type', message)
  }
  if (wanted === DIRECTORY) throw invalidField('mimetype', 'cannot be that of a directory: this is a file.')
}

/** Renames and moves the caller's folder, and the item that it was merged into. @throws {AppError} 404, 409, 400 too deep. */
export async function changeFolder(
  db: D1Database,
  userId: string,
  id: string,
  change: FolderChange,
  now: number,
): Promise<ListedFolder> {
  const folder = await selectOwnFolder(db, userId, id)
  if (!folder) throw noFolder()
  const outer = (await selectFolderAncestries(db, [id])).get(id)?.slice(1) ?? []
  if (outer.some(({ merged }) => merged)) throw insideMerged()
  const label = { name: change.name ?? folder.name, folderId: orBefore(change.parent, folder.parentId) }
  if (label.folderId !== null && label.folderId !== folder.parentId) {
    const above = await requirePlace(db, userId, label.folderId, folder.blockchain, 'parent')
    if (above.includes(id)) throw new AppError(409, 'folder_loop', 'A folder cannot be moved into itself.')
    if (above.length + (await selectFolderHeight(db, id)) > MAX_FOLDER_LEVELS) {
      throw invalidField(
        'parent',
        `is too deep: the content of the folder would be more than ${MAX_FOLDER_LEVELS} levels deep.`,
      )
    }
  }
  if (await isTaken(db, { ...folder, ...label }, folder.merged)) throw nameTaken(label.name)
  if (!(await updateFolderLabel(db, { id, userId, ...label }, now))) throw changedMeanwhile()
  const changed = await selectListedFolder(db, userId, id)
  if (!changed) throw noFolder()
  return changed
}

async function isTaken(db: D1Database, folder: Parameters<typeof hasFolderNamed>[1] & { id: string }, merged: boolean) {
  const { id, folderId } = folder
  const asked = [
    folderId !== null && hasItemNamed(db, folder, id),
    // Versions of a folder share its name.
    !merged && hasFolderNamed(db, folder, id),
  ]
  return (await Promise.all(asked)).includes(true)
}

/** A field that is left out is not changed. */
const orBefore = (wanted: string | null | undefined, before: string | null) => (wanted === undefined ? before : wanted)

/** @throws {AppError} 409 where an item could not be merged in its new place. */
function refuseMove(item: PublishedItem, folderId: string | null): void {
  if (item.linkedFrom !== null) {
    throw new AppError(409, 'linked_file', 'This file is linked from a stored item, and is merged with its folder.')
  }
  if (item.state === 'merging') throw new AppError(409, 'merging', 'This item is being merged. Try again in a moment.')
  if (item.blockchain === 'IPFS' && item.state === 'unpaid' && item.folderId === null && folderId !== null) {
    const message = 'This item was merged by itself; a folder could not be merged with it. Pay for it first.'
    throw new AppError(409, 'already_merged', message)
  }
}

/** The ids of an open folder of the caller for this target, and of those that it is in. @throws {AppError} 404, 409. */
async function requirePlace(
  db: D1Database,
  userId: string,
  id: string,
  blockchain: StorageTarget,
  field: string,
): Promise<string[]> {
  const folder = await selectOwnFolder(db, userId, id)
  if (folder && folder.blockchain !== blockchain) {
    const message = `The folder is for ${folder.blockchain}, not for ${blockchain}.`
    throw new AppError(409, 'target_differs', message)
  }
  const above = await requireOpenFolders(db, userId, [{ id, blockchain, field }])
  return above.get(id)?.map((outer) => outer.id) ?? []
}

/** 404 for a folder that is not the caller's, or does not exist. */
export const noFolder = () => notFound('You have no folder with this id.')

const insideMerged = () =>
  new AppError(
    409,
    'folder_merged',
    'This is in a merged folder, whose names and paths are part of what is stored. It cannot be renamed or moved.',
  )

const nameTaken = (name: string) =>
  new AppError(409, 'name_taken', `Something else there is called "${name}". Choose another name.`)

const changedMeanwhile = () =>
  new AppError(409, 'folder_changed', 'The folder has changed since the request began. Try again.')
