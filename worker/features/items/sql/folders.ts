import type { StorageTarget } from '../../../../protocol/chains.ts'
import { hasChanged } from '../../../platform/d1/has-changed.ts'
import type { PageKey } from '../../../platform/d1/page-key.ts'
import { EMPTY_FOLDER, NO_ITEM_IN_FOLDER } from './empty-folder.ts'
import { stateOfRow } from './item-state.ts'
import type { Item } from './items.ts'
import { insertOrdersStatement } from './orders.ts'
import { ITEMS_USED } from './used.ts'

/** A folder of items for one storage target; `createdAt` in milliseconds. */
export interface Folder {
  id: string
  userId: string
  parentId: string | null
  name: string
  blockchain: StorageTarget
  /** Whether its merge is done: its name is free for a new version. */
  merged: boolean
  createdAt: number
}

type FolderRow = Omit<Folder, 'merged'> & { merged: number }

const PLACE = `folders.id, folders.user_id AS userId, folders.parent_id AS parentId, folders.name, folders.blockchain,
  folders.created_at AS createdAt`
const COLUMNS = `${PLACE}, folders.merged`

const toFolder = <Row extends { merged: number }>({ merged, ...row }: Row) => ({ ...row, merged: merged !== 0 })

/** Folders of the name ?4 for the target ?5 in the place ?3 of the user ?2. */
const SAME = (merged: 0 | 1) => `FROM folders AS same WHERE same.user_id = ?2 AND same.blockchain = ?5
  AND IFNULL(same.parent_id, '') = IFNULL(?3, '') AND same.name = ?4 AND same.merged = ${merged}`

/**
 * Writes the folder unless its owner has an open one of this name there, and returns the id of the one that exists now.
 * Where only merged ones exist, it is that of the latest, unless a `newVersion` is wanted. Undefined where there is none
 * and its owner has `mostEmpty` folders that no file is in, or more.
 */
export async function upsertFolder(
  db: D1Database,
  { orderId = null, ...folder }: Omit<Folder, 'merged'> & { orderId?: string | null },
  mostEmpty: number,
  newVersion: boolean,
): Promise<string | undefined> {
  const values = [folder.id, folder.userId, folder.parentId, folder.name, folder.blockchain]
  const [written, merged] = await db.batch<{ id: string }>([
    db
      .prepare(
        `INSERT INTO folders (id, user_id, parent_id, name, blockchain, created_at, order_id)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?9 WHERE EXISTS (SELECT 1 ${SAME(0)})
           OR (${ITEMS_USED.folders('?2')} < ?7 AND (?8 OR NOT EXISTS (SELECT 1 ${SAME(1)})))
         ON CONFLICT (user_id, blockchain, IFNULL(parent_id, ''), name) WHERE merged = 0 DO UPDATE SET name = ?4
         RETURNING id`,
      )
      .bind(...values, folder.createdAt, mostEmpty, newVersion ? 1 : 0, orderId),
    db
      .prepare(`SELECT id ${SAME(1)} AND ?1 IS NOT NULL ORDER BY same.created_at DESC, id DESC LIMIT 1`)
      .bind(...values),
    ...(orderId === null
      ? []
      : [insertOrdersStatement(db, folder.userId, [{ ...folder, orderId }], { onlyFor: folder.id })]),
  ])
  return (written?.results[0] ?? (newVersion ? undefined : merged?.results[0]))?.id
}

/** A folder as lists show it. */
export interface ListedFolder extends Folder {
  /** The item that it was merged into. */
  item: string | null
  /** Files in it and below it. */
  items: number
}

const LISTED = `SELECT ${COLUMNS}, folders.items,
  (SELECT d.id FROM items d WHERE d.directory_of = folders.id AND d.removed_at IS NULL) AS item FROM folders`

type ListedRow = Omit<ListedFolder, 'merged'> & { merged: number }

/** A folder of this user, as lists show it. */
export async function selectListedFolder(
  db: D1Database,
  userId: string,
  id: string,
): Promise<ListedFolder | undefined> {
  const row = await db.prepare(`${LISTED} WHERE id = ? AND user_id = ?`).bind(id, userId).first<ListedRow>()
  return row ? toFolder(row) : undefined
}

/** Folders of a user directly in `parentId`, or in none, newest first, after `after`. */
export async function selectFolders(
  db: D1Database,
  query: {
    userId: string
    parentId: string | undefined
    after: PageKey | undefined
    limit: number
  },
): Promise<ListedFolder[]> {
  const { results } = await db
    .prepare(
      `${LISTED} WHERE user_id = ?1 AND IFNULL(parent_id, '') = ?2
         AND (?3 IS NULL OR (created_at, id) < (?3, ?4))
       ORDER BY created_at DESC, id DESC LIMIT ?5`,
    )
    .bind(query.userId, query.parentId ?? '', query.after?.createdAt ?? null, query.after?.id ?? null, query.limit)
    .all<ListedRow>()
  return results.map(toFolder)
}

/** Open folders whose name has `part` in it, newest first; at most `limit`, of the `looked` that are read. */
export async function selectFoldersByName(
  db: D1Database,
  { userId, part, looked, limit }: { userId: string; part: string; looked: number; limit: number },
): Promise<ListedFolder[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS.replaceAll('folders.', 'own.')}, items, NULL AS item FROM
         (SELECT * FROM folders WHERE user_id = ?1 AND merged = 0 LIMIT ?3) AS own
       WHERE instr(lower(name), lower(?2)) > 0 ORDER BY created_at DESC, id DESC LIMIT ?4`,
    )
    .bind(userId, part, looked, limit)
    .all<ListedRow>()
  return results.map(toFolder)
}

/** A folder of this user. */
export async function selectOwnFolder(db: D1Database, userId: string, id: string): Promise<Folder | undefined> {
  const statement = db.prepare(`SELECT ${COLUMNS} FROM folders WHERE id = ? AND user_id = ?`)
  const row = await statement.bind(id, userId).first<FolderRow>()
  return row ? toFolder(row) : undefined
}

/** Each of these folders with all the folders it is in, innermost first; `merged` where one became a directory, or becomes one. */
export async function selectFolderAncestries(db: D1Database, ids: readonly string[]): Promise<Map<string, Folder[]>> {
  const { results } = await db
    .prepare(
      `WITH RECURSIVE up (start, id, depth) AS (
         SELECT value, value, 0 FROM json_each(?1)
         UNION ALL SELECT start, f.parent_id, depth + 1 FROM folders f JOIN up ON f.id = up.id)
       SELECT up.start, ${PLACE},
         EXISTS (SELECT 1 FROM items d WHERE d.directory_of = folders.id AND d.removed_at IS NULL) AS merged
       FROM folders JOIN up USING (id) ORDER BY start, depth`,
    )
    .bind(JSON.stringify(ids))
    .all<FolderRow & { start: string }>()
  const ancestries = new Map<string, Folder[]>(ids.map((id) => [id, []]))
  for (const { start, ...row } of results) ancestries.get(start)?.push(toFolder(row))
  return ancestries
}

/** The folder and all the folders in it, outermost first. */
export async function selectFolderTree(db: D1Database, id: string): Promise<Folder[]> {
  const { results } = await db
    .prepare(
      `WITH RECURSIVE down (id, depth) AS (
         SELECT ?1, 0 UNION ALL SELECT f.id, depth + 1 FROM folders f JOIN down ON f.parent_id = down.id)
       SELECT ${COLUMNS} FROM down CROSS JOIN folders ON folders.id = down.id ORDER BY depth, name`,
    )
    .bind(id)
    .all<FolderRow>()
  return results.map(toFolder)
}

/** The statement that deletes the folders of these items, and those that they are in, where nothing else is left. */
export function deleteEmptyFoldersStatement(db: D1Database, itemIds: readonly string[]): D1PreparedStatement {
  return db
    .prepare(
      `WITH RECURSIVE
         up (id) AS (
           SELECT folder_id FROM items WHERE id IN (SELECT value FROM json_each(?)) AND folder_id IS NOT NULL
           UNION
           SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL),
         kept (id) AS (
           SELECT folders.id FROM up CROSS JOIN folders ON folders.id = up.id
           WHERE NOT (${NO_ITEM_IN_FOLDER})
             OR EXISTS (SELECT 1 FROM folders c WHERE c.parent_id = folders.id AND c.id NOT IN (SELECT id FROM up))
           UNION
           SELECT f.parent_id FROM folders f JOIN kept ON f.id = kept.id WHERE f.parent_id IS NOT NULL)
       DELETE FROM folders WHERE id IN (SELECT id FROM up) AND id NOT IN (SELECT id FROM kept)`,
    )
    .bind(JSON.stringify(itemIds))
}

/** Deletes folders made before `before` that nothing is in. */
export async function deleteOldEmptyFolders(db: D1Database, before: number, limit: number): Promise<void> {
  await db
    .prepare(
      `DELETE FROM folders WHERE id IN (SELECT id FROM folders WHERE created_at < ? AND ${EMPTY_FOLDER} LIMIT ?)`,
    )
    .bind(before, limit)
    .run()
}

/** Deletes a folder of this user that nothing is in; false where something is, or there is none. */
export async function deleteEmptyFolder(db: D1Database, userId: string, id: string): Promise<boolean> {
  return hasChanged(
    await db.prepare(`DELETE FROM folders WHERE id = ? AND user_id = ? AND ${EMPTY_FOLDER}`).bind(id, userId).run(),
  )
}

/** A file somewhere in a folder, as its merge into one directory needs it. */
export type FolderFile = Pick<
  Item,
  'id' | 'folderId' | 'partOf' | 'directoryOf' | 'name' | 'size' | 'chunkSize' | 'chunks' | 'state'
>

type FolderFileRow = Omit<FolderFile, 'state'> & { status: number; mergingAt: number | null }

const FILE_COLUMNS = `id, folder_id AS folderId, part_of AS partOf, directory_of AS directoryOf, name, size,
  chunk_size AS chunkSize, chunks, status, merging_at AS mergingAt`

function toFolderFile({ status, mergingAt, ...file }: FolderFileRow): FolderFile {
  return { ...file, state: stateOfRow(status, mergingAt) }
}

/** All live items in these folders, those that are merged folders themselves included; at most `limit`. */
export async function selectFolderFiles(
  db: D1Database,
  folderIds: readonly string[],
  limit: number,
): Promise<FolderFile[]> {
  const { results } = await db
    .prepare(
      `SELECT ${FILE_COLUMNS} FROM items
       WHERE folder_id IN (SELECT value FROM json_each(?)) AND removed_at IS NULL ORDER BY id LIMIT ?`,
    )
    .bind(JSON.stringify(folderIds), limit)
    .all<FolderFileRow>()
  return results.map(toFolderFile)
}

/** A file of a directory item; `linkedCid` where it is made of the blocks of a stored item. */
export interface DirectoryItemFile extends FolderFile {
  linkedCid: string | null
  /** As of the merge that linked it, in lowercase hex. */
  sha256: string | null
}

/** The files of a directory item. */
export async function selectDirectoryFiles(db: D1Database, directoryId: string): Promise<DirectoryItemFile[]> {
  const { results } = await db
    .prepare(
      `SELECT ${FILE_COLUMNS}, sha256, (SELECT s.cid FROM items s WHERE s.id = items.linked_from) AS linkedCid
       FROM items WHERE part_of = ? ORDER BY id`,
    )
    .bind(directoryId)
    .all<FolderFileRow & { linkedCid: string | null; sha256: string | null }>()
  return results.map((row) => ({ ...toFolderFile(row), linkedCid: row.linkedCid, sha256: row.sha256 }))
}

/** The live item that one of these folders became by its merge. */
export async function selectDirectoryItemOf(db: D1Database, folderIds: readonly string[]): Promise<string | undefined> {
  const row = await db
    .prepare(
      `SELECT id FROM items
       WHERE directory_of IN (SELECT value FROM json_each(?)) AND removed_at IS NULL LIMIT 1`,
    )
    .bind(JSON.stringify(folderIds))
    .first<{ id: string }>()
  return row?.id
}
