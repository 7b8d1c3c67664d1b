import type { StorageTarget } from '../../../protocol/chains.ts'
import { AppError, invalidField, notFound } from '../../platform/http/errors.ts'
import { type Folder, selectFolderAncestries } from './sql/folders.ts'

/** A folder that something is to be put into; `field` names it in an error. */
export interface WantedFolder {
  id: string
  blockchain: StorageTarget
  field: string
}

/**
 * Each folder with those it is in, innermost first, by its id, if something may still be put into all of them.
 * @throws {AppError} 404 for somebody else's, 400 for one of another target, 409 for a merged one.
 */
export async function requireOpenFolders(
  db: D1Database,
  userId: string,
  wanted: readonly WantedFolder[],
): Promise<ReadonlyMap<string, readonly Folder[]>> {
  if (wanted.length === 0) return new Map()
  const ancestries = await selectFolderAncestries(db, [...new Set(wanted.map(({ id }) => id))])
  for (const { id, blockchain, field } of wanted) {
    const ancestry = ancestries.get(id) ?? []
    const [folder] = ancestry
    if (folder?.userId !== userId) throw notFound(`You have no folder with this id: ${id}.`)
    if (folder.blockchain !== blockchain) {
      throw invalidField(field, `is a folder for ${folder.blockchain}, not for ${blockchain}.`)
    }
    if (ancestry.some(({ merged }) => merged)) {
      throw new AppError(409, 'folder_merged', 'This folder has been merged; nothing can be added to it.')
    }
  }
  return ancestries
}
