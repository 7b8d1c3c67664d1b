import type { StorageTarget } from '../../../protocol/chains.ts'

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

export interface ItemRow {
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

export function toItem(row: ItemRow): PublishedItem {
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

/** Those of the ids that have a row, be it of a removed item. */
export async function findKnownIds(db: D1Database, ids: readonly string[]): Promise<Set<string>> {
  const { results } = await db
    .prepare('SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(ids))
    .all<{ id: string }>()
  return new Set(results.map((row) => row.id))
}
