import type { StorageTarget } from '../../protocol/chains.ts'
import { assertion } from './guarded-batch.ts'

/** 201 uploading, 402 waiting for payment, 202 being written, 200 stored, 409 needs an operator. */
export type ItemStatus = 201 | 402 | 202 | 200 | 409

/** A file or website as its row says; sizes in bytes, times in milliseconds. */
export interface Item {
  id: string
  userId: string
  folderId: string | null
  /** The directory item this file became part of; its status is the directory's then, and it is paid with it. */
  partOf: string | null
  /** The folder that this item is the merge of. */
  directoryOf: string | null
  name: string
  mimetype: string
  blockchain: StorageTarget
  size: number
  chunkSize: number
  chunks: number
  status: ItemStatus
  message: string | null
  /** From merge on: bytes at `stored/<id>` for a chain, of all the DAG's blocks for IPFS. */
  storedSize: number | null
  /** From merge on: data transactions, 0 for IPFS. */
  transactions: number | null
  /** From merge on: transaction k carries stored bytes [k * maxDataBytes, (k + 1) * maxDataBytes). */
  maxDataBytes: number | null
  mergingAt: number | null
  /** The error code of a merge that was refused; `message` is its sentence. */
  refusal: string | null
  written: number
  confirmed: number
  cid: string | null
  createdAt: number
  updatedAt: number
}

/** An item with its published txids: none before every transaction is confirmed, or where a list leaves them out. */
export interface PublishedItem extends Item {
  txids: string[] | undefined
}

interface ItemRow {
  id: string
  user_id: string
  folder_id: string | null
  part_of: string | null
  directory_of: string | null
  name: string
  mimetype: string
  blockchain: StorageTarget
  size: number
  chunk_size: number
  chunks: number
  effective_status: ItemStatus
  effective_message: string | null
  stored_size: number | null
  transactions: number | null
  max_data_bytes: number | null
  merging_at: number | null
  refusal: string | null
  written: number
  confirmed: number
  cid: string | null
  created_at: number
  updated_at: number
  txids: string | null
}

function toItem(row: ItemRow): PublishedItem {
  return {
    id: row.id,
    userId: row.user_id,
    folderId: row.folder_id,
    partOf: row.part_of,
    directoryOf: row.directory_of,
    name: row.name,
    mimetype: row.mimetype,
    blockchain: row.blockchain,
    size: row.size,
    chunkSize: row.chunk_size,
    chunks: row.chunks,
    status: row.effective_status,
    message: row.effective_message,
    storedSize: row.stored_size,
    transactions: row.transactions,
    maxDataBytes: row.max_data_bytes,
    mergingAt: row.merging_at,
    refusal: row.refusal,
    written: row.written,
    confirmed: row.confirmed,
    cid: row.cid,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    txids: row.txids?.match(/.{64}/g) ?? undefined,
  }
}

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

/** Any live item, whoever's it is, with its txids. */
export async function findItem(db: D1Database, id: string): Promise<PublishedItem | undefined> {
  const row = await db
    .prepare(
      `SELECT i.*, t.txids, IFNULL(d.status, i.status) AS effective_status, IFNULL(d.message, i.message) AS effective_message
       FROM items i LEFT JOIN items d ON d.id = i.part_of LEFT JOIN item_txids t ON t.item_id = i.id
       WHERE i.id = ? AND i.removed_at IS NULL`,
    )
    .bind(id)
    .first<ItemRow>()
  return row ? toItem(row) : undefined
}

/** A live item of this user, with its txids. */
export async function findOwnItem(db: D1Database, userId: string, id: string): Promise<PublishedItem | undefined> {
  const item = await findItem(db, id)
  return item?.userId === userId ? item : undefined
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

/** Where a list goes on: behind the item with these values. */
export interface ItemCursor {
  createdAt: number
  id: string
}

/**
 * Items newest first: of one user, or everyone's with `userId` undefined. Files of a merged folder are left out:
 * the directory item stands for them. Txids come with items of at most 100 transactions, so that a page stays small.
 */
export async function listItems(
  db: D1Database,
  query: { userId: string | undefined; status: ItemStatus | undefined; after: ItemCursor | undefined; limit: number },
): Promise<PublishedItem[]> {
  const { results } = await db
    .prepare(
      `SELECT i.*, t.txids, i.status AS effective_status, i.message AS effective_message
       FROM items i LEFT JOIN item_txids t ON t.item_id = i.id AND i.transactions <= 100
       WHERE i.removed_at IS NULL AND i.part_of IS NULL
         AND (?1 IS NULL OR i.user_id = ?1)
         AND (?2 IS NULL OR i.status = ?2)
         AND (?3 IS NULL OR (i.created_at, i.id) < (?3, ?4))
       ORDER BY i.created_at DESC, i.id DESC LIMIT ?5`,
    )
    .bind(
      query.userId ?? null,
      query.status ?? null,
      query.after?.createdAt ?? null,
      query.after?.id ?? null,
      query.limit,
    )
    .all<ItemRow>()
  return results.map(toItem)
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

/** The statement that fails its batch unless the item is unpaid and no request waits to be paid for it. */
export function assertRemovable(db: D1Database, id: string): D1PreparedStatement {
  return assertion(
    db,
    `EXISTS (SELECT 1 FROM items WHERE id = ?1 AND status IN (201, 402) AND part_of IS NULL AND removed_at IS NULL)
     AND NOT EXISTS (SELECT 1 FROM payment_request_items WHERE item_id = ?1 AND waiting = 1)`,
    id,
  )
}

/**
 * The statements that hide an unpaid item for good: with a directory item go its files and the folder it came of.
 * The first one's `meta.changes` is 0 when the item is paid, part of a directory, or gone; then none changes anything.
 * What is hidden is deleted by the sweep.
 */
export function removeItem(db: D1Database, id: string, now: number): D1PreparedStatement[] {
  return [
    `UPDATE items SET removed_at = ?2 WHERE id = ?1 AND status IN (201, 402) AND part_of IS NULL AND removed_at IS NULL`,
    `UPDATE items SET removed_at = ?2 WHERE part_of = ?1 AND removed_at IS NULL
       AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?1 AND d.removed_at = ?2)`,
    `WITH RECURSIVE tree (id) AS (
       SELECT directory_of FROM items WHERE id = ?1 AND removed_at = ?2 AND directory_of IS NOT NULL
       UNION ALL SELECT f.id FROM folders f JOIN tree ON f.parent_id = tree.id)
     DELETE FROM folders WHERE id IN (SELECT id FROM tree)`,
  ].map((sql) => db.prepare(sql).bind(id, now))
}

/** Ids of uploads and unpaid items that nobody touched since `before`, and that no request waits to be paid for. */
export async function listAbandonedItems(db: D1Database, before: number, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT id FROM items WHERE status IN (201, 402) AND updated_at < ? AND part_of IS NULL
         AND merging_at IS NULL AND removed_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM payment_request_items p WHERE p.item_id = items.id AND p.waiting = 1)
       ORDER BY updated_at LIMIT ?`,
    )
    .bind(before, limit)
    .all<{ id: string }>()
  return results.map((row) => row.id)
}

/** What has to be known of a removed item to delete what it left behind. */
export type RemovedItem = Pick<Item, 'id' | 'blockchain' | 'chunks'>

/** Removed items whose objects may still be there. */
export async function listRemovedItems(db: D1Database, limit: number): Promise<RemovedItem[]> {
  const { results } = await db
    .prepare(
      `SELECT id, blockchain, chunks FROM items
       WHERE removed_at IS NOT NULL ORDER BY removed_at LIMIT ?`,
    )
    .bind(limit)
    .all<RemovedItem>()
  return results
}

/** Forgets a removed item, once nothing of it is left in the bucket and none of its files is left here. */
export async function deleteRemovedItem(db: D1Database, id: string): Promise<void> {
  await db
    .prepare(
      `DELETE FROM items WHERE id = ?1 AND removed_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM items f WHERE f.part_of = ?1)`,
    )
    .bind(id)
    .run()
}

/** Stored items that nothing happened to since `before`, with objects in the bucket that served their writing. */
export async function listLeftovers(db: D1Database, before: number, limit: number): Promise<RemovedItem[]> {
  const { results } = await db
    .prepare(
      `SELECT id, blockchain, chunks FROM items
       WHERE status = 200 AND leftovers = 1 AND updated_at < ? ORDER BY updated_at LIMIT ?`,
    )
    .bind(before, limit)
    .all<RemovedItem>()
  return results
}

/** Notes that nothing but what is served is left of a stored item. */
export async function clearLeftovers(db: D1Database, id: string): Promise<void> {
  await db.prepare('UPDATE items SET leftovers = 0 WHERE id = ?').bind(id).run()
}

/** Those of the ids that have a row, be it of a removed item. */
export async function findKnownIds(db: D1Database, ids: readonly string[]): Promise<Set<string>> {
  const { results } = await db
    .prepare('SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(ids))
    .all<{ id: string }>()
  return new Set(results.map((row) => row.id))
}
