import type { Item } from './items.ts'

/** A file somewhere in a folder, as its merge into one directory needs it. */
export type FolderFile = Pick<
  Item,
  'id' | 'folderId' | 'partOf' | 'directoryOf' | 'name' | 'size' | 'chunkSize' | 'chunks' | 'status' | 'mergingAt'
>

const COLUMNS = `id, folder_id AS folderId, part_of AS partOf, directory_of AS directoryOf, name, size,
  chunk_size AS chunkSize, chunks, status, merging_at AS mergingAt`

/** All live items in these folders, those that are merged folders themselves included; at most `limit`. */
export async function listFolderFiles(
  db: D1Database,
  folderIds: readonly string[],
  limit: number,
): Promise<FolderFile[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM items
       WHERE folder_id IN (SELECT value FROM json_each(?)) AND removed_at IS NULL ORDER BY id LIMIT ?`,
    )
    .bind(JSON.stringify(folderIds), limit)
    .all<FolderFile>()
  return results
}

/** The files of a directory item. */
export async function listDirectoryFiles(db: D1Database, directoryId: string): Promise<FolderFile[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM items WHERE part_of = ? ORDER BY id`)
    .bind(directoryId)
    .all<FolderFile>()
  return results
}

/** A directory item about to be made: of one folder, out of all the files in it. */
export interface NewDirectory {
  id: string
  userId: string
  folderId: string | null
  directoryOf: string
  name: string
  mimetype: string
  size: number
  createdAt: number
}

/**
 * Writes a directory item in the midst of its merge and makes the files part of it: all or nothing. False when the
 * folder has become a directory already, or `files` aren't all that is in `folderIds`, unpaid, not being merged and in no payment request.
 */
export async function insertDirectory(
  db: D1Database,
  directory: NewDirectory,
  folderIds: readonly string[],
  files: readonly string[],
): Promise<boolean> {
  const folders = JSON.stringify(folderIds)
  const ids = JSON.stringify(files)
  const [inserted] = await db.batch([
    db
      .prepare(
        `INSERT INTO items (id, user_id, folder_id, directory_of, name, mimetype, blockchain, size, chunk_size, chunks,
           merging_at, created_at, updated_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, 'IPFS', ?7, 0, 0, ?8, ?8, ?8
         WHERE (SELECT COUNT(*) FROM items
                WHERE folder_id IN (SELECT value FROM json_each(?9)) AND removed_at IS NULL) = ?10
           AND (SELECT COUNT(*) FROM items WHERE id IN (SELECT value FROM json_each(?11))
                AND status IN (201, 402) AND part_of IS NULL AND merging_at IS NULL AND removed_at IS NULL
                AND id NOT IN (SELECT item_id FROM payment_request_items WHERE waiting = 1)) = ?10
         ON CONFLICT DO NOTHING`,
      )
      .bind(
        directory.id,
        directory.userId,
        directory.folderId,
        directory.directoryOf,
        directory.name,
        directory.mimetype,
        directory.size,
        directory.createdAt,
        folders,
        files.length,
        ids,
      ),
    db
      .prepare(
        `UPDATE items SET part_of = ?1, updated_at = ?2
         WHERE id IN (SELECT value FROM json_each(?3)) AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?1)`,
      )
      .bind(directory.id, directory.createdAt, ids),
  ])
  return (inserted?.meta.changes ?? 0) > 0
}

/**
 * `201 Created` → `402 Payment Required` for a directory item and its files, each with its CID. False when it is
 * not being merged: done before, or gone.
 */
export async function finishDirectory(
  db: D1Database,
  id: string,
  outcome: { cid: string; storedSize: number; files: readonly { id: string; cid: string }[] },
  now: number,
): Promise<boolean> {
  const [finished] = await db.batch([
    db
      .prepare(
        `UPDATE items SET status = 402, merging_at = NULL, stored_size = ?1, transactions = 0, cid = ?2, updated_at = ?3
         WHERE id = ?4 AND status = 201 AND merging_at IS NOT NULL AND removed_at IS NULL`,
      )
      .bind(outcome.storedSize, outcome.cid, now, id),
    db
      .prepare(
        `UPDATE items SET status = 402, refusal = NULL, message = NULL, stored_size = size, transactions = 0,
           cid = file.value ->> 'cid', updated_at = ?1
         FROM json_each(?2) AS file
         WHERE items.id = file.value ->> 'id' AND part_of = ?3
           AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?3 AND d.status = 402)`,
      )
      .bind(now, JSON.stringify(outcome.files), id),
  ])
  return (finished?.meta.changes ?? 0) > 0
}

/** Gives up a directory's merge: its files are uploads of their own again, its folder is open. */
export async function abandonDirectory(db: D1Database, id: string, now: number): Promise<void> {
  await db.batch([
    db
      .prepare(
        `UPDATE items SET part_of = NULL, status = 201, cid = NULL, stored_size = NULL, transactions = NULL,
           updated_at = ?1
         WHERE part_of = ?2 AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?2 AND d.status = 201)`,
      )
      .bind(now, id),
    db.prepare('DELETE FROM items WHERE id = ? AND status = 201 AND removed_at IS NULL').bind(id),
  ])
}

/** The live item that one of these folders became by its merge. */
export async function findDirectoryItemOf(db: D1Database, folderIds: readonly string[]): Promise<string | undefined> {
  const row = await db
    .prepare(
      `SELECT id FROM items
       WHERE directory_of IN (SELECT value FROM json_each(?)) AND removed_at IS NULL LIMIT 1`,
    )
    .bind(JSON.stringify(folderIds))
    .first<{ id: string }>()
  return row?.id
}
