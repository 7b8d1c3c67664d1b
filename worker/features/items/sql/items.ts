import type { StorageTarget } from '../../../../protocol/chains.ts'
import type { PageKey } from '../../../platform/d1/page-key.ts'
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
  /** `car`: what is uploaded is a CAR, whose blocks are imported unchanged; null for a file. */
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
  /** Whether it has an index if it needs several transactions: as requested, and from merge on as decided. */
  indexed: boolean | null
  /** Pixels of a picture, from merge on, where its beginning says them. */
  width: number | null
  height: number | null
  /** Length of what a website's transactions hold, decoded. */
  contentSize: number | null
  /** The index, once it is as deep as its chain wants. */
  indexTxid: string | null
  /** Whether its owner wants it in no list. */
  hidden: boolean
  createdAt: number
  updatedAt: number
}

/** An item with its published txids: none before every transaction is confirmed, or where a list leaves them out. */
export interface PublishedItem extends Item {
  txids: string[] | undefined
  /** Names of the folders that it is in, the outermost first, joined by `/`; null for none. */
  path: string | null
  /** The sites that it is a version of: those that show it first, then the newest, at most {@link MAX_SITES}. */
  sites: SiteOfItem[]
}

/** A site that an item is a version of; `shown` where that version is current. */
interface SiteOfItem {
  id: string
  name: string
  version: number
  shown: boolean
}

/** Sites that are named of an item. */
const MAX_SITES = 10

/** A row of {@link SELECT}. */
type ItemRow = Omit<PublishedItem, 'state' | 'indexed' | 'txids' | 'hidden' | 'sites'> & {
  status: number
  hidden: number
  sites: string
  mergingAt: number | null
  indexed: number | null
  txids: string | null
}

/** Names of the folders that `items i` is in, as SQL; no folder is more than 32 deep. */
const PATH = `(WITH RECURSIVE up (parent_id, name, depth) AS (
    SELECT f.parent_id, f.name, 0 FROM folders f WHERE f.id = i.folder_id
    UNION ALL SELECT f.parent_id, f.name, depth + 1 FROM up JOIN folders f ON f.id = up.parent_id WHERE depth < 32)
  SELECT group_concat(name, '/') FROM (SELECT name FROM up ORDER BY depth DESC))`

/** The sites of `items i` as JSON, as SQL. */
const SITES = `(SELECT json_group_array(json_array(id, name, number, shown)) FROM (
    SELECT s.id, s.name, v.number, s.current IS v.number AS shown FROM site_versions v JOIN sites s ON s.id = v.site_id
    WHERE v.item_id = i.id ORDER BY shown DESC, s.id DESC LIMIT ${MAX_SITES}))`

/** `items i` with the directory `d` that an item is a file of, and its txids `t`. */
const SELECT = `SELECT i.id, i.user_id AS userId, i.folder_id AS folderId, i.part_of AS partOf, i.directory_of AS directoryOf,
    i.linked_from AS linkedFrom, i.files, i.name, i.mimetype, i.blockchain, i.upload_kind AS kind, i.size,
    i.chunk_size AS chunkSize, i.chunks, IFNULL(d.status, i.status) AS status, IFNULL(d.message, i.message) AS message,
    IIF(d.id IS NULL, i.merging_at, d.merging_at) AS mergingAt, i.stored_size AS storedSize, i.transactions,
    i.max_data_bytes AS maxDataBytes, i.refusal, i.written, i.confirmed, i.cid, i.indexed, i.width, i.height,
    i.content_size AS contentSize, i.index_txid AS indexTxid,
    IFNULL(d.hidden, i.hidden) AS hidden, i.created_at AS createdAt, i.updated_at AS updatedAt,
    ${TXIDS} AS txids, ${PATH} AS path, ${SITES} AS sites`

const WITH_DIRECTORY = 'LEFT JOIN items d ON d.id = i.part_of'
/** Lists have the txids of items of at most 100 transactions, so that a page stays small. */
const WITH_FEW_TXIDS = 'LEFT JOIN item_txids t ON t.item_id = i.id AND i.transactions <= 100'

function toItem({ status, mergingAt, indexed, hidden, txids, sites, ...item }: ItemRow): PublishedItem {
  const named: unknown = JSON.parse(sites)
  return {
    ...item,
    hidden: hidden === 1,
    sites: Array.isArray(named) ? named.map(toSite) : [],
    state: stateOfRow(status, mergingAt),
    indexed: indexed === null ? null : indexed === 1,
    txids: txids?.match(/.{64}/g) ?? undefined,
  }
}

function toSite(entry: unknown): SiteOfItem {
  const [id, name, version, shown]: unknown[] = Array.isArray(entry) ? entry : []
  return { id: String(id), name: String(name), version: Number(version), shown: shown === 1 }
}

/** Whether an item has bytes of its own, which somebody sends: a directory and a linked file have none. */
export function isUpload({ directoryOf, linkedFrom }: Item): boolean {
  return directoryOf === null && linkedFrom === null
}

/** Any live item, whoever's it is, with its txids. */
export async function selectItem(db: D1Database, id: string): Promise<PublishedItem | undefined> {
  const row = await db
    .prepare(
      `${SELECT} FROM items i ${WITH_DIRECTORY} LEFT JOIN item_txids t ON t.item_id = i.id
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

/** The ids that have a row, those of removed items included. */
export async function selectKnownItemIds(db: D1Database, ids: readonly string[]): Promise<Set<string>> {
  const { results } = await db
    .prepare('SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(ids))
    .all<{ id: string }>()
  return new Set(results.map((row) => row.id))
}

/** Live items that lists have, in the order of their ids here; `withParts` the files of directories too. */
export async function selectListedItems(
  db: D1Database,
  ids: readonly string[],
  { withParts = false } = {},
): Promise<PublishedItem[]> {
  if (ids.length === 0) return []
  const { results } = await db
    .prepare(
      `${SELECT} FROM json_each(?1) AS wanted CROSS JOIN items i ON i.id = wanted.value
         ${WITH_DIRECTORY} ${WITH_FEW_TXIDS}
       WHERE i.removed_at IS NULL AND (?2 OR i.part_of IS NULL) ORDER BY wanted.key`,
    )
    .bind(JSON.stringify(ids), withParts ? 1 : 0)
    .all<ItemRow>()
  return results.map(toItem)
}

/** Items of a user that changed after `since`, in the order in which they did; as a list shows them. */
export async function selectChangedItems(
  db: D1Database,
  userId: string,
  since: { updatedAt: number; id: string },
  limit: number,
): Promise<PublishedItem[]> {
  const { results } = await db
    .prepare(
      `${SELECT} FROM items i INDEXED BY items_by_change ${WITH_DIRECTORY} ${WITH_FEW_TXIDS}
       WHERE i.user_id = ?1 AND (i.updated_at, i.id) > (?2, ?3) AND i.removed_at IS NULL AND i.part_of IS NULL
       ORDER BY i.updated_at, i.id LIMIT ?4`,
    )
    .bind(userId, since.updatedAt, since.id, limit)
    .all<ItemRow>()
  return results.map(toItem)
}

/** Unfinished uploads of a user, newest first, without those that a directory was, or is to be, made of. */
export async function selectUploads(
  db: D1Database,
  query: { userId: string; after: PageKey | undefined; limit: number },
): Promise<PublishedItem[]> {
  const { results } = await db
    .prepare(
      `${SELECT} FROM items i ${WITH_DIRECTORY} ${WITH_FEW_TXIDS}
       WHERE i.user_id = ?1 AND ${inState('uploading', 'i')} AND i.removed_at IS NULL
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
