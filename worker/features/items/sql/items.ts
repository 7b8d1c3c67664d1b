import type { StorageTarget } from '../../../../protocol/chains.ts'
import { type ItemState, inState, stateOfRow } from './item-state.ts'
import { TXIDS } from './txids.ts'

/** A file or website as its row says; sizes in bytes, times in milliseconds. */
export interface Item {
  id: string
  userId: string
  folderId: string | null
  /** The directory item this file became part of; its state is the directory's then, and it is paid with it. */
  partOf: string | null
  /** The folder that this item is the merge of. */
  directoryOf: string | null
  /** The stored item whose blocks this file of a directory is made of: it has no bytes of its own. */
  linkedFrom: string | null
  /** Files of a directory item. */
  files: number
  name: string
  mimetype: string
  blockchain: StorageTarget
  /** `car`: what is uploaded is a CAR, whose blocks are taken in as they are; null for a file. */
  kind: 'car' | null
  size: number
  chunkSize: number
  chunks: number
  state: ItemState
  message: string | null
  /** From merge on: bytes at `stored/<id>` for a chain, of all the DAG's blocks for IPFS. */
  storedSize: number | null
  /** From merge on: data transactions, 0 for IPFS. */
  transactions: number | null
  /** From merge on: transaction k carries stored bytes [k * maxDataBytes, (k + 1) * maxDataBytes). */
  maxDataBytes: number | null
  /** The error code of a merge that was refused; `message` is its sentence. */
  refusal: string | null
  written: number
  confirmed: number
  cid: string | null
  /** Whether it has an index where it takes several transactions: what was requested, from merge on what holds. */
  indexed: boolean | null
  /** Length of what a website's transactions hold, decoded. */
  contentSize: number | null
  /** The index, once it is as deep as its chain wants. */
  indexTxid: string | null
  createdAt: number
  updatedAt: number
}

/** An item with its published txids: none before every transaction is confirmed, or where a list leaves them out. */
export interface PublishedItem extends Item {
  txids: string[] | undefined
  /** Names of the folders that it lies in, the outermost first, joined by `/`; null for none. */
  path: string | null
}

interface ItemRow {
  id: string
  user_id: string
  folder_id: string | null
  part_of: string | null
  directory_of: string | null
  linked_from: string | null
  files: number
  name: string
  mimetype: string
  blockchain: StorageTarget
  upload_kind: 'car' | null
  size: number
  chunk_size: number
  chunks: number
  effective_status: number
  effective_merging_at: number | null
  effective_message: string | null
  stored_size: number | null
  transactions: number | null
  max_data_bytes: number | null
  refusal: string | null
  written: number
  confirmed: number
  cid: string | null
  indexed: number | null
  content_size: number | null
  index_txid: string | null
  created_at: number
  updated_at: number
  txids: string | null
  path: string | null
}

/** Names of the folders that `items i` lies in, as SQL; no folder is more than 32 deep. */
const PATH = `(WITH RECURSIVE up (parent_id, name, depth) AS (
    SELECT f.parent_id, f.name, 0 FROM folders f WHERE f.id = i.folder_id
    UNION ALL SELECT f.parent_id, f.name, depth + 1 FROM up JOIN folders f ON f.id = up.parent_id WHERE depth < 32)
  SELECT group_concat(name, '/') FROM (SELECT name FROM up ORDER BY depth DESC))`

function toItem(row: ItemRow): PublishedItem {
  return {
    id: row.id,
    userId: row.user_id,
    folderId: row.folder_id,
    partOf: row.part_of,
    directoryOf: row.directory_of,
    linkedFrom: row.linked_from,
    files: row.files,
    name: row.name,
    mimetype: row.mimetype,
    blockchain: row.blockchain,
    kind: row.upload_kind,
    size: row.size,
    chunkSize: row.chunk_size,
    chunks: row.chunks,
    state: stateOfRow(row.effective_status, row.effective_merging_at),
    message: row.effective_message,
    storedSize: row.stored_size,
    transactions: row.transactions,
    maxDataBytes: row.max_data_bytes,
    refusal: row.refusal,
    written: row.written,
    confirmed: row.confirmed,
    cid: row.cid,
    indexed: row.indexed === null ? null : row.indexed === 1,
    contentSize: row.content_size,
    indexTxid: row.index_txid,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    txids: row.txids?.match(/.{64}/g) ?? undefined,
    path: row.path,
  }
}

/** Whether an item has bytes of its own, which somebody sends: a directory and a linked file have none. */
export function isUpload({ directoryOf, linkedFrom }: Item): boolean {
  return directoryOf === null && linkedFrom === null
}

/** Any live item, whoever's it is, with its txids. */
export async function selectItem(db: D1Database, id: string): Promise<PublishedItem | undefined> {
  const row = await db
    .prepare(
      `SELECT i.*, ${TXIDS} AS txids, IFNULL(d.status, i.status) AS effective_status, IFNULL(d.message, i.message) AS effective_message,
         IIF(d.id IS NULL, i.merging_at, d.merging_at) AS effective_merging_at, ${PATH} AS path
       FROM items i LEFT JOIN items d ON d.id = i.part_of LEFT JOIN item_txids t ON t.item_id = i.id
       WHERE i.id = ? AND i.removed_at IS NULL`,
    )
    .bind(id)
    .first<ItemRow>()
  return row ? toItem(row) : undefined
}

/** A live item of this user, with its txids. */
export async function selectOwnItem(db: D1Database, userId: string, id: string): Promise<PublishedItem | undefined> {
  const item = await selectItem(db, id)
  return item?.userId === userId ? item : undefined
}

/** Those of the ids that have a row, be it of a removed item. */
export async function selectKnownItemIds(db: D1Database, ids: readonly string[]): Promise<Set<string>> {
  const { results } = await db
    .prepare('SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(ids))
    .all<{ id: string }>()
  return new Set(results.map((row) => row.id))
}

/**
 * Live items that lists have, in the order of their ids here; `withParts` those of directories too. Txids come with items of at most 100 transactions, so that
 * a page stays small.
 */
export async function selectListedItems(
  db: D1Database,
  ids: readonly string[],
  { withParts = false } = {},
): Promise<PublishedItem[]> {
  if (ids.length === 0) return []
  const { results } = await db
    .prepare(
      `SELECT i.*, ${TXIDS} AS txids, IFNULL(d.status, i.status) AS effective_status, IFNULL(d.message, i.message) AS effective_message,
         IIF(d.id IS NULL, i.merging_at, d.merging_at) AS effective_merging_at, ${PATH} AS path
       FROM json_each(?1) AS wanted CROSS JOIN items i ON i.id = wanted.value
         LEFT JOIN items d ON d.id = i.part_of
         LEFT JOIN item_txids t ON t.item_id = i.id AND i.transactions <= 100
       WHERE i.removed_at IS NULL AND (?2 OR i.part_of IS NULL) ORDER BY wanted.key`,
    )
    .bind(JSON.stringify(ids), withParts ? 1 : 0)
    .all<ItemRow>()
  return results.map(toItem)
}

/** Items of a user that changed behind `since`, in the order in which they did; as a list shows them. */
export async function selectChangedItems(
  db: D1Database,
  userId: string,
  since: { updatedAt: number; id: string },
  limit: number,
): Promise<PublishedItem[]> {
  const { results } = await db
    .prepare(
      `SELECT i.*, ${TXIDS} AS txids, i.status AS effective_status, i.message AS effective_message,
         i.merging_at AS effective_merging_at, ${PATH} AS path
       FROM items i INDEXED BY items_by_change LEFT JOIN item_txids t ON t.item_id = i.id AND i.transactions <= 100
       WHERE i.user_id = ?1 AND (i.updated_at, i.id) > (?2, ?3) AND i.removed_at IS NULL AND i.part_of IS NULL
       ORDER BY i.updated_at, i.id LIMIT ?4`,
    )
    .bind(userId, since.updatedAt, since.id, limit)
    .all<ItemRow>()
  return results.map(toItem)
}

/** Unfinished uploads of a user, newest first; what a directory was made of, or is to be, is none. */
export async function selectUploads(
  db: D1Database,
  query: { userId: string; after: { createdAt: number; id: string } | undefined; limit: number },
): Promise<Item[]> {
  const { results } = await db
    .prepare(
      `SELECT i.*, NULL AS txids, NULL AS path, i.status AS effective_status, i.message AS effective_message,
         i.merging_at AS effective_merging_at
       FROM items i WHERE i.user_id = ?1 AND ${inState('uploading', 'i')} AND i.removed_at IS NULL
         AND i.part_of IS NULL AND i.directory_of IS NULL AND i.linked_from IS NULL AND (?2 IS NULL OR (i.created_at, i.id) < (?2, ?3))
       ORDER BY i.created_at DESC, i.id DESC LIMIT ?4`,
    )
    .bind(query.userId, query.after?.createdAt ?? null, query.after?.id ?? null, query.limit)
    .all<ItemRow>()
  return results.map(toItem)
}

/** Notes that an upload is still alive, so that it isn't swept. */
export async function updateUploadTime(db: D1Database, id: string, now: number): Promise<void> {
  await db
    .prepare(`UPDATE items SET updated_at = ? WHERE id = ? AND ${inState('uploading')}`)
    .bind(now, id)
    .run()
}

/** Lets an upload whose merge was refused be changed and merged again. */
export async function deleteRefusal(db: D1Database, id: string, now: number): Promise<void> {
  await db
    .prepare(`UPDATE items SET refusal = NULL, message = NULL, updated_at = ? WHERE id = ? AND ${inState('uploading')}`)
    .bind(now, id)
    .run()
}

/** Shows the payers of items that are being written what they wait for. */
export async function updateWaitingMessage(db: D1Database, ids: readonly string[], message: string): Promise<void> {
  await db
    .prepare(`UPDATE items SET message = ? WHERE id IN (SELECT value FROM json_each(?)) AND ${inState('writing')}`)
    .bind(message, JSON.stringify(ids))
    .run()
}
