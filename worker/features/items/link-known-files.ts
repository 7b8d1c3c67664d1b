import type { OwnFile } from '../../../contract/folder.ts'
import { objectId } from '../../../protocol/object-id.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { quotaRefusal } from '../auth/quotas.ts'
import { readAllowance } from './allowance.ts'
import type { ItemContext } from './create-items.ts'
import { evictUnpaidItems } from './evict-unpaid-items.ts'
import { requireOpenFolders } from './require-open-folders.ts'
import { requireRoom } from './require-room.ts'
import { type Folder, selectFolderTree } from './sql/folders.ts'
import { insertLinks, type NewLink, selectKnownContent, selectLinks } from './sql/linked-files.ts'
import { ITEMS_USED } from './sql/used.ts'

/**
 * Links those files into the caller's IPFS folder that stored items of the caller hold. Returns their paths: they
 * are neither sent nor paid for again. Repeating it changes nothing.
 * @throws {AppError} 404 and 409 for the folder, 400 for another target or a path into a folder that is not there.
 */
export async function linkKnownFiles(
  context: ItemContext,
  userId: string,
  folderId: string,
  files: readonly OwnFile[],
  now: number,
): Promise<string[]> {
  const { db } = context
  await requireOpenFolders(db, userId, [{ id: folderId, blockchain: 'IPFS', field: 'folder' }])
  const places = placeFiles(folderId, await selectFolderTree(db, folderId), files)
  const known = await selectKnownContent(db, userId, [...new Set(files.map(({ sha256 }) => sha256))])
  const bySource = new Map(known.map((content) => [`${content.sha256} ${content.size}`, content]))
  const links = places.flatMap(({ folder, name, file }): NewLink[] => {
    const source = bySource.get(`${file.sha256} ${file.size}`)
    return source ? [{ ...source, id: objectId(now), folderId: folder, name, linkedFrom: source.id }] : []
  })
  if (links.length === 0) return []
  const before = await linkedPaths(db, places)
  const missing = links.filter(({ folderId: folder, name }) => !before.has(`${folder}/${name}`))
  if (missing.length > 0) {
    const allowance = await readAllowance(db, userId, context, now)
    const { limits } = allowance
    requireRoom(allowance, context.databaseBytes)
    const bytes = missing.reduce((sum, { size }) => sum + size, 0)
    await evictUnpaidItems(db, userId, allowance, { items: missing.length, bytes }, context, now)
    await insertLinks(db, userId, missing, limits, now)
    const added = { unpaidItems: missing.length, unpaidBytes: bytes }
    const after = await linkedPaths(db, places)
    const refusal =
      after.size === before.size && (await quotaRefusal(db, userId, ITEMS_USED, limits, added, context.quotas))
    if (refusal) throw refusal
    return pathsOf(places, after)
  }
  return pathsOf(places, before)
}

interface Place {
  folder: string
  name: string
  file: OwnFile
}

/** Which folder each file belongs into, and under which name. @throws {AppError} 400. */
function placeFiles(root: string, tree: readonly Folder[], files: readonly OwnFile[]): Place[] {
  const children = new Map(tree.map(({ parentId, name, id }) => [`${parentId}/${name}`, id]))
  return files.map((file, index) => {
    const names = file.path.split('/')
    let folder = root
    for (const name of names.slice(0, -1)) {
      const below = children.get(`${folder}/${name}`)
      if (below === undefined)
        throw invalidField(`files[${index}].path`, `leads into "${name}". Make that folder first.`)
      folder = below
    }
    return { folder, name: names.at(-1) ?? '', file }
  })
}

/** The SHA-256 of each link in the folders of these places, by folder and name. */
async function linkedPaths(db: D1Database, places: readonly Place[]): Promise<Map<string, string>> {
  const links = await selectLinks(db, [...new Set(places.map(({ folder }) => folder))])
  return new Map(links.map(({ folderId, name, sha256 }) => [`${folderId}/${name}`, sha256]))
}

function pathsOf(places: readonly Place[], linked: ReadonlyMap<string, string>): string[] {
  return places.flatMap(({ folder, name, file }) =>
    linked.get(`${folder}/${name}`) === file.sha256 ? [file.path] : [],
  )
}
