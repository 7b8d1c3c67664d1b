import { firstRow } from '../../../platform/d1/first-row.ts'
import { assertionStatement, batchIf } from '../../../platform/d1/guarded-batch.ts'

/** What an item is called, what it is sent as, and the folder that it is in. */
export interface ItemLabel extends Label {
  mimetype: string
}

/** What something is called, and the folder that it is in; null for none. */
export interface Label {
  name: string
  folderId: string | null
}

/** The ids of a folder, given as a parameter of SQL, and of all that it is in. */
const above = (folder: string) => `(WITH RECURSIVE up (id) AS (
    SELECT ${folder} UNION ALL SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id)
  SELECT id FROM up WHERE id IS NOT NULL)`

/** That a folder, given as a parameter of SQL, exists, and neither it nor one that it is in is merged; true for NULL. */
const isOpen = (folder: string) => `(${folder} IS NULL OR (EXISTS (SELECT 1 FROM folders WHERE id = ${folder})
  AND NOT EXISTS (SELECT 1 FROM items d WHERE d.directory_of IN ${above(folder)} AND d.removed_at IS NULL)))`

/** Names, moves and retypes an item of this user that is in no directory; false where that changed, or the folder was merged. */
export async function updateItemLabel(
  db: D1Database,
  { id, userId, name, folderId, mimetype }: ItemLabel & { id: string; userId: string },
  now: number,
): Promise<boolean> {
  return await batchIf(db, [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM items WHERE id = ?1 AND user_id = ?2 AND removed_at IS NULL AND part_of IS NULL)
         AND ${isOpen("NULLIF(?3, '')")}`,
      id,
      userId,
      folderId ?? '',
    ),
    db
      .prepare(
        `UPDATE items SET name = ?1, folder_id = ?2, type_changes = type_changes + (mimetype <> ?3), mimetype = ?3,
           updated_at = ?4 WHERE id = ?5`,
      )
      .bind(name, folderId, mimetype, now, id),
  ])
}

/** Leaves an item of this user out of lists, or not. */
export async function updateHidden(
  db: D1Database,
  { id, userId, hidden }: { id: string; userId: string; hidden: boolean },
  now: number,
): Promise<void> {
  await db
    .prepare('UPDATE items SET hidden = ?, updated_at = ? WHERE id = ? AND user_id = ? AND removed_at IS NULL')
    .bind(hidden ? 1 : 0, now, id, userId)
    .run()
}

/**
 * Names and moves a folder of this user, and the item that it was merged into; false where its name is in use, it would be in
 * itself, or the folder was merged.
 */
export async function updateFolderLabel(
  db: D1Database,
  { id, userId, name, folderId }: Label & { id: string; userId: string },
  now: number,
): Promise<boolean> {
  return await batchIf(db, [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM folders WHERE id = ?1 AND user_id = ?2) AND ${isOpen("NULLIF(?3, '')")}
         AND ?1 NOT IN ${above("NULLIF(?3, '')")}`,
      id,
      userId,
      folderId ?? '',
    ),
    db.prepare('UPDATE folders SET name = ?, parent_id = ? WHERE id = ?').bind(name, folderId, id),
    db
      .prepare(`UPDATE items SET name = ?, folder_id = ?, updated_at = ? WHERE directory_of = ? AND removed_at IS NULL`)
      .bind(name, folderId, now, id),
  ])
}

/** Whether an item other than `except`, or than the one that this folder was merged into, has this name in a folder. */
export async function hasItemNamed(db: D1Database, { name, folderId }: Label, except: string): Promise<boolean> {
  const row = await db
    .prepare(
      `SELECT 1 FROM items WHERE folder_id = ?1 AND name = ?2 AND removed_at IS NULL AND id <> ?3
         AND IFNULL(directory_of, '') <> ?3 LIMIT 1`,
    )
    .bind(folderId, name, except)
    .first()
  return row !== null
}

/** Whether an open folder of this user other than `except` has this name in a folder, or in none, for this target. */
export async function hasFolderNamed(
  db: D1Database,
  { userId, blockchain, name, folderId }: Label & { userId: string; blockchain: string },
  except: string,
): Promise<boolean> {
  const row = await db
    .prepare(
      `SELECT 1 FROM folders WHERE user_id = ? AND blockchain = ? AND IFNULL(parent_id, '') = ? AND name = ?
         AND merged = 0 AND id <> ? LIMIT 1`,
    )
    .bind(userId, blockchain, folderId ?? '', name, except)
    .first()
  return row !== null
}

/** How many folders lie one in another below this one, itself counted. */
export async function selectFolderHeight(db: D1Database, id: string): Promise<number> {
  const { height } = await firstRow<{ height: number }>(
    db
      .prepare(
        `WITH RECURSIVE down (id, depth) AS (
         SELECT ?1, 1 UNION ALL SELECT f.id, depth + 1 FROM folders f JOIN down ON f.parent_id = down.id)
       SELECT MAX(depth) AS height FROM down`,
      )
      .bind(id),
  )
  return height
}
