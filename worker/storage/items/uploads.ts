import type { Item } from './items.ts'

/** What a new item is made of; the rest follows from merge, payment and writing. */
export type NewItem = Pick<
  Item,
  'id' | 'userId' | 'folderId' | 'name' | 'mimetype' | 'blockchain' | 'size' | 'chunkSize' | 'chunks' | 'createdAt'
>

/** Writes a new item in `201 Created`. */
export async function insertItem(db: D1Database, item: NewItem): Promise<void> {
  await db
    .prepare(
      `INSERT INTO items (id, user_id, folder_id, name, mimetype, blockchain, size, chunk_size, chunks,
         created_at, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)`,
    )
    .bind(
      item.id,
      item.userId,
      item.folderId,
      item.name,
      item.mimetype,
      item.blockchain,
      item.size,
      item.chunkSize,
      item.chunks,
      item.createdAt,
    )
    .run()
}

/** Notes that an upload is still alive, so that it isn't swept. */
export async function touchItem(db: D1Database, id: string, now: number): Promise<void> {
  await db.prepare('UPDATE items SET updated_at = ? WHERE id = ? AND status = 201').bind(now, id).run()
}

/** Lets an upload whose merge was refused be changed and merged again. */
export async function clearRefusal(db: D1Database, id: string, now: number): Promise<void> {
  await db
    .prepare('UPDATE items SET refusal = NULL, message = NULL, updated_at = ? WHERE id = ? AND status = 201')
    .bind(now, id)
    .run()
}

/** Closes the upload: from here on chunks are refused. False when that was done before, or the item is gone. */
export async function beginMerge(db: D1Database, id: string, now: number): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `UPDATE items SET merging_at = ?1, refusal = NULL, message = NULL, updated_at = ?1
       WHERE id = ?2 AND status = 201 AND merging_at IS NULL AND removed_at IS NULL`,
    )
    .bind(now, id)
    .run()
  return meta.changes > 0
}

/** Opens the upload again, saying why it can't be merged as it is. */
export async function refuseMerge(
  db: D1Database,
  id: string,
  refusal: { code: string; message: string },
  now: number,
): Promise<void> {
  await db
    .prepare(
      `UPDATE items SET merging_at = NULL, refusal = ?1, message = ?2, updated_at = ?3
       WHERE id = ?4 AND status = 201 AND removed_at IS NULL`,
    )
    .bind(refusal.code, refusal.message, now, id)
    .run()
}

/** What a merge found. */
export type MergeOutcome = Pick<Item, 'cid'> & { storedSize: number; transactions: number; maxDataBytes: number | null }

/** `201 Created` → `402 Payment Required`. False when the item is not being merged: done before, or gone. */
export async function finishMerge(db: D1Database, id: string, outcome: MergeOutcome, now: number): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `UPDATE items SET status = 402, merging_at = NULL, stored_size = ?1, transactions = ?2, max_data_bytes = ?3,
         cid = ?4, updated_at = ?5
       WHERE id = ?6 AND status = 201 AND merging_at IS NOT NULL AND removed_at IS NULL`,
    )
    .bind(outcome.storedSize, outcome.transactions, outcome.maxDataBytes, outcome.cid, now, id)
    .run()
  return meta.changes > 0
}

/** Ids of merges begun before `before` and not finished: their merger may have died before it took them on. */
export async function listMerging(db: D1Database, before: number, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT id FROM items WHERE merging_at < ? AND status = 201 AND removed_at IS NULL
       ORDER BY merging_at LIMIT ?`,
    )
    .bind(before, limit)
    .all<{ id: string }>()
  return results.map((row) => row.id)
}
