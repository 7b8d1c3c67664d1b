import type { CodeOf } from '../../../../contract/error-codes.ts'
import type { NewItem as Wanted } from '../../../../contract/item.ts'
import type { Blockchain, StorageTarget } from '../../../../protocol/chains.ts'
import type { Config } from '../../../platform/config/config.ts'
import { assertionStatement, batchIf } from '../../../platform/d1/guarded-batch.ts'
import { hasChanged } from '../../../platform/d1/has-changed.ts'
import { insertItemEventsStatement } from './item-events.ts'
import { inState, STATUS } from './item-state.ts'
import type { Item } from './items.ts'
import { ITEMS_USED } from './used.ts'

/*
 * Every move of an item from one state to another; no other SQL sets a state. Each is guarded: it changes nothing
 * unless the item is in the state that it leaves.
 *
 *   insertUploads                 -         → uploading     payItemsStatements            unpaid  → writing
 *   insertDirectory               -         → merging       stopItemsStatements           writing → stopped
 *   beginMerges                   uploading → merging       resumeItemsStatements         stopped → writing
 *   refuseMerge                   merging   → uploading     publishChainItemStatements    writing → stored
 *   finishMerges                  merging   → unpaid        publishIpfsItemStatements     writing → stored
 *   finishDirectoryMerge          merging   → unpaid        removeItemStatements          uploading, unpaid → hidden
 *   abandonDirectory              merging   → -             stopDoubleSpentStatements     writing, stored → stopped
 *   finishImport                  merging   → stored
 *   takeDownStatements            stored    → taken down
 */

/** What a paid item says while it is written. */
export const BEING_WRITTEN = 'Paid. It is being written.'

/** What a new item is made of; the rest follows from merge, payment and writing. */
export type NewItem = Omit<Wanted, 'folder' | 'order'> &
  Pick<Item, 'id' | 'userId' | 'folderId' | 'chunkSize' | 'chunks' | 'createdAt'> & {
    kind?: Item['kind']
    orderId?: string | null
  }

/** The column of each of its fields: what is added to a new item is missing here until it has one. */
const COLUMNS = {
  id: 'id',
  folderId: 'folder_id',
  name: 'name',
  mimetype: 'mimetype',
  blockchain: 'blockchain',
  size: 'size',
  chunkSize: 'chunk_size',
  chunks: 'chunks',
  kind: 'upload_kind',
  orderId: 'order_id',
  createdAt: 'created_at',
} as const satisfies Record<Exclude<keyof NewItem, 'userId'>, string>

/**
 * Writes new items of a user, to be uploaded, with what is written `beside` them; `false`, and nothing is, when the user
 * would then have more than these quotas allow.
 */
export async function insertUploads(
  db: D1Database,
  userId: string,
  items: readonly NewItem[],
  quotas: Pick<Config['quotas'], 'unpaidItems' | 'unpaidBytes'>,
  beside: D1PreparedStatement[] = [],
): Promise<boolean> {
  const bytes = items.reduce((sum, { size }) => sum + size, 0)
  const insert = db
    .prepare(
      `INSERT INTO items (user_id, status, updated_at, ${Object.values(COLUMNS).join(', ')})
       SELECT ?1, ${STATUS.uploading}, value ->> 'createdAt',
         ${Object.keys(COLUMNS).map((field) => `value ->> '${field}'`)}
       FROM json_each(?2)
       WHERE ${ITEMS_USED.unpaidItems('?1')} + ?3 <= ?5 AND ${ITEMS_USED.unpaidBytes('?1')} + ?4 <= ?6`,
    )
    .bind(userId, JSON.stringify(items), items.length, bytes, quotas.unpaidItems, quotas.unpaidBytes)
  const inserted = assertionStatement(db, 'EXISTS (SELECT 1 FROM items WHERE id = ?)', items[0]?.id ?? '')
  return await batchIf(db, [insert, inserted, ...beside])
}

/** A directory item about to be made: of one folder, out of all the files in it. */
export interface NewDirectory extends Omit<NewItem, 'chunkSize' | 'chunks'> {
  directoryOf: string
  /** Whether it is to have an index; absent where nobody said. */
  index?: boolean | undefined
}

/**
 * Writes a directory item in the midst of its merge and makes the files part of it: all or nothing. False when the
 * folder has become a directory already, its user has `maxMerges` under way, or `files` aren't all that is in `folderIds`, unpaid, not being merged and
 * in no payment request.
 */
export async function insertDirectory(
  db: D1Database,
  directory: NewDirectory,
  folderIds: readonly string[],
  files: readonly string[],
  maxMerges: number,
): Promise<boolean> {
  const { id, userId, folderId, directoryOf, name, mimetype, blockchain, size, createdAt } = directory
  const ids = JSON.stringify(files)
  const indexed = indexColumn(directory.index)
  const [inserted] = await db.batch([
    db
      .prepare(
        `INSERT INTO items (id, user_id, folder_id, directory_of, name, mimetype, blockchain, size, chunk_size, chunks,
           status, merging_at, created_at, updated_at, order_id, indexed)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?13, ?7, 0, 0, ${STATUS.merging}, ?8, ?8, ?8,
           (SELECT order_id FROM folders WHERE id = ?4), ?14
         WHERE (SELECT COUNT(*) FROM items
                WHERE folder_id IN (SELECT value FROM json_each(?9)) AND removed_at IS NULL) = ?10
           AND (SELECT COUNT(*) FROM items WHERE id IN (SELECT value FROM json_each(?11))
                AND ${inState(['uploading', 'unpaid'])} AND part_of IS NULL AND removed_at IS NULL
                AND id NOT IN (SELECT item_id FROM payment_request_items WHERE waiting = 1)) = ?10
           AND ${ITEMS_USED.merges('?2')} < ?12
         ON CONFLICT DO NOTHING`,
      )
      .bind(
        ...[id, userId, folderId, directoryOf, name, mimetype, size, createdAt],
        ...[JSON.stringify(folderIds), files.length, ids, maxMerges, blockchain, indexed],
      ),
    db
      .prepare(
        `UPDATE items SET part_of = ?1, updated_at = ?2
         WHERE id IN (SELECT value FROM json_each(?3)) AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?1)`,
      )
      .bind(id, createdAt, ids),
    insertItemEventsStatement(db, 'item.merging', { sql: 'id = ?', values: [id] }, { now: createdAt }),
  ])
  return hasChanged(inserted)
}

/**
 * Closes uploads of a user: from here on chunks are refused. `index` is what was requested of their indexes. False when that was
 * done before, they are gone, or the user would then have more than `maxMerges` under way.
 */
export async function beginMerges(
  db: D1Database,
  userId: string,
  ids: readonly string[],
  maxMerges: number,
  now: number,
  index?: boolean,
): Promise<boolean> {
  const sql = `id IN (SELECT value FROM json_each(?)) AND user_id = ? AND ${inState('uploading')} AND part_of IS NULL
    AND removed_at IS NULL AND ${ITEMS_USED.merges('?')} + ? <= ?`
  const values = [JSON.stringify(ids), userId, userId, ids.length, maxMerges]
  const [, begun] = await db.batch([
    insertItemEventsStatement(db, 'item.merging', { sql, values }, { now }),
    db
      .prepare(
        `UPDATE items SET status = ${STATUS.merging}, merging_at = ?, refusal = NULL, message = NULL, updated_at = ?,
           indexed = ?
         WHERE ${sql}`,
      )
      .bind(now, now, indexColumn(index), ...values),
  ])
  return hasChanged(begun)
}

const indexColumn = (index: boolean | undefined) => (index === undefined ? null : Number(index))

/** Opens the upload again, saying why it can't be merged as it is. */
export async function refuseMerge(
  db: D1Database,
  id: string,
  refusal: { code: CodeOf<422>; message: string },
  now: number,
): Promise<void> {
  await db
    .prepare(
      `UPDATE items SET status = ${STATUS.uploading}, merging_at = NULL, refusal = ?1, message = ?2, updated_at = ?3
       WHERE id = ?4 AND ${inState('merging')} AND removed_at IS NULL`,
    )
    .bind(refusal.code, refusal.message, now, id)
    .run()
}

/** What a merge found. */
export type MergeOutcome = Pick<Item, 'cid'> & {
  storedSize: number
  transactions: number
  maxDataBytes: number | null
  /** Of the bytes as they were uploaded, in lowercase hex. */
  sha256?: string
  /** Whether it has an index if it needs several transactions. */
  indexed?: boolean
}

/** Lets merged items wait for their payment; returns the ids of those that were being merged. */
export async function finishMerges(
  db: D1Database,
  outcomes: readonly (MergeOutcome & { id: string; width?: number; height?: number })[],
  now: number,
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `UPDATE items SET status = ${STATUS.unpaid}, merging_at = NULL, stored_size = outcome.value ->> 'storedSize',
         transactions = outcome.value ->> 'transactions', max_data_bytes = outcome.value ->> 'maxDataBytes',
         cid = outcome.value ->> 'cid', sha256 = outcome.value ->> 'sha256', indexed = outcome.value ->> 'indexed',
         width = outcome.value ->> 'width', height = outcome.value ->> 'height', updated_at = ?1
       FROM json_each(?2) AS outcome
       WHERE items.id = outcome.value ->> 'id' AND ${inState('merging')} AND removed_at IS NULL
       RETURNING items.id AS id`,
    )
    .bind(now, JSON.stringify(outcomes))
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}

/** What was imported of an uploaded CAR; `mimetype` only where its root determines it. */
export interface ImportOutcome {
  cid: string
  /** Bytes of its blocks. */
  storedSize: number
  mimetype?: string
}

/** Calls an uploaded CAR stored, whose blocks are served by now: nothing of it is to be paid. False when it is not being merged. */
export async function finishImport(db: D1Database, id: string, outcome: ImportOutcome, now: number): Promise<boolean> {
  const { cid, storedSize, mimetype = null } = outcome
  const sql = `id = ? AND upload_kind = 'car' AND ${inState('merging')} AND removed_at IS NULL`
  const [, finished] = await db.batch([
    insertItemEventsStatement(db, 'item.stored', { sql, values: [id] }, { now }),
    db
      .prepare(
        `UPDATE items SET status = ${STATUS.stored}, merging_at = NULL, stored_size = ?, transactions = 0, cid = ?,
           mimetype = IFNULL(?, mimetype), updated_at = ?
         WHERE ${sql}`,
      )
      .bind(storedSize, cid, mimetype, now, id),
  ])
  return hasChanged(finished)
}

/** The same for a directory item and its files, each with its CID; `manifest` as of `protocol/folder-manifest.ts`. */
export async function finishDirectoryMerge(
  db: D1Database,
  id: string,
  outcome: Omit<MergeOutcome, 'sha256'> & {
    manifest?: string
    /** Of a website on a chain: what its transactions hold, decoded. */
    content?: { size: number; sha256: string }
    files: readonly { id: string; cid: string; sha256?: string | undefined }[]
  },
  now: number,
): Promise<boolean> {
  const [finished] = await db.batch([
    db
      .prepare(
        `UPDATE items SET status = ${STATUS.unpaid}, merging_at = NULL, stored_size = ?1, transactions = ?6,
           max_data_bytes = ?7, cid = ?2, sha256 = ?5, updated_at = ?3, indexed = ?8, content_size = ?9,
           content_sha256 = ?10
         WHERE id = ?4 AND ${inState('merging')} AND removed_at IS NULL`,
      )
      .bind(
        ...[outcome.storedSize, outcome.cid, now, id, outcome.manifest ?? null],
        ...[outcome.transactions, outcome.maxDataBytes, indexColumn(outcome.indexed)],
        ...[outcome.content?.size ?? null, outcome.content?.sha256 ?? null],
      ),
    db
      .prepare(
        `UPDATE items SET status = ${STATUS.unpaid}, refusal = NULL, message = NULL, stored_size = size,
           transactions = 0, cid = file.value ->> 'cid', sha256 = IFNULL(file.value ->> 'sha256', sha256),
           updated_at = ?1
         FROM json_each(?2) AS file
         WHERE items.id = file.value ->> 'id' AND part_of = ?3
           AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?3 AND ${inState('unpaid', 'd')})`,
      )
      .bind(now, JSON.stringify(outcome.files), id),
  ])
  return hasChanged(finished)
}

/** Abandons a directory's merge: its files are uploads of their own again, its folder is open. */
export async function abandonDirectory(db: D1Database, id: string, now: number): Promise<void> {
  await db.batch([
    db
      .prepare(
        `UPDATE items SET part_of = NULL, status = ${STATUS.uploading}, merging_at = NULL, cid = NULL,
           stored_size = NULL, transactions = NULL, updated_at = ?1
         WHERE part_of = ?2 AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?2 AND ${inState('merging', 'd')})`,
      )
      .bind(now, id),
    db.prepare(`DELETE FROM items WHERE id = ? AND ${inState('merging')} AND removed_at IS NULL`).bind(id),
  ])
}

/** The statement that fails its batch unless every item waits for payment. */
export function assertUnpaidStatement(db: D1Database, userId: string, itemIds: readonly string[]): D1PreparedStatement {
  return assertionStatement(
    db,
    `(SELECT COUNT(*) FROM items WHERE id IN (SELECT value FROM json_each(?)) AND user_id = ? AND ${inState('unpaid')}
       AND part_of IS NULL AND removed_at IS NULL) = ?`,
    JSON.stringify(itemIds),
    userId,
    itemIds.length,
  )
}

/** What queueing the items of a request needs to know of it. */
interface PaidRequest {
  id: string
  userId: string
  blockchain: Blockchain
  target: StorageTarget
  itemIds: readonly string[]
}

/** The statements that queue the items of a paid request to be written. They fail unless all of them are unpaid. */
export function payItemsStatements(db: D1Database, request: PaidRequest, now: number): D1PreparedStatement[] {
  const ids = JSON.stringify(request.itemIds)
  return [
    assertUnpaidStatement(db, request.userId, request.itemIds),
    db
      .prepare(
        `UPDATE items SET status = ${STATUS.writing}, message = '${BEING_WRITTEN}', updated_at = ?
         WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .bind(now, ids),
    db
      .prepare(
        `INSERT INTO writes (item_id, blockchain, target, request_id, state, created_at)
         SELECT value, ?, ?, ?, 'queued', ? FROM json_each(?)`,
      )
      .bind(request.blockchain, request.target, request.id, now, ids),
  ]
}

/** Why a write is stopped: `paused` until its payment is back, or `parked` until an operator acts. */
export type StopState = 'paused' | 'parked'

/** The statements that stop writing items and say why. What is parked so waits for an operator, also if one had resumed it before. */
export function stopItemsStatements(
  db: D1Database,
  itemIds: readonly string[],
  state: StopState,
  message: string,
  now: number,
): D1PreparedStatement[] {
  const ids = JSON.stringify(itemIds)
  const sql = `id IN (SELECT item_id FROM writes WHERE item_id IN (SELECT value FROM json_each(?))
    AND state IN ('queued', 'writing')) AND ${inState('writing')}`
  return [
    insertItemEventsStatement(db, 'item.stopped', { sql, values: [ids] }, { now, message }),
    db
      .prepare(`UPDATE items SET status = ${STATUS.stopped}, message = ?, updated_at = ? WHERE ${sql}`)
      .bind(message, now, ids),
    db
      .prepare(
        `UPDATE writes SET state = ?1, replan = IIF(?1 = 'parked', 0, replan)
         WHERE item_id IN (SELECT value FROM json_each(?2)) AND state IN ('queued', 'writing')`,
      )
      .bind(state, ids),
  ]
}

/**
 * The statements that stop items, stored ones too, of which a transaction can't be on the chain because what it spends
 * was spent otherwise. They are resumed automatically: `parked` with `replan` says so. With `storedOnly` those that are being
 * written continue.
 */
export function stopDoubleSpentStatements(
  db: D1Database,
  itemIds: readonly string[],
  message: string,
  now: number,
  { storedOnly = false } = {},
): D1PreparedStatement[] {
  const ids = JSON.stringify(itemIds)
  const states = storedOnly ? `'published', 'done'` : `'queued', 'writing', 'published', 'done'`
  const stopped = `FROM writes WHERE item_id IN (SELECT value FROM json_each(?)) AND state IN (${states})`
  const writes = `SELECT item_id ${stopped}`
  const sql = `id IN (${writes}) AND ${inState(['writing', 'stored'])}`
  return [
    insertItemEventsStatement(db, 'item.stopped', { sql, values: [ids] }, { now, message }),
    db
      .prepare(`UPDATE items SET status = ${STATUS.stopped}, message = ?, updated_at = ? WHERE ${sql}`)
      .bind(message, now, ids),
    db.prepare(`DELETE FROM item_txids WHERE item_id IN (${writes})`).bind(ids),
    // An index that is gone, or names what is gone; that of an item is void until the item has its txids again.
    db.prepare(`UPDATE items SET index_txid = NULL WHERE id IN (${writes}) AND index_txid IS NOT NULL`).bind(ids),
    db
      .prepare(
        `UPDATE items SET index_txid = NULL FROM (SELECT index_of, index_txid ${stopped}) AS own
         WHERE items.id = own.index_of AND items.index_txid = own.index_txid`,
      )
      .bind(ids),
    db
      .prepare(
        `UPDATE writes SET state = 'done'
         WHERE index_of IN (${writes}) AND state IN ('queued', 'writing', 'paused', 'parked')`,
      )
      .bind(ids),
    db.prepare(`UPDATE writes SET state = 'parked', replan = 1 WHERE item_id IN (${writes})`).bind(ids),
  ]
}

/** The statements that let items that were stopped so be written further. */
export function resumeItemsStatements(
  db: D1Database,
  itemIds: readonly string[],
  state: StopState,
  now: number,
): D1PreparedStatement[] {
  const ids = JSON.stringify(itemIds)
  return [
    db
      .prepare(
        `UPDATE items SET status = ${STATUS.writing}, message = '${BEING_WRITTEN}', updated_at = ?
         WHERE id IN (SELECT item_id FROM writes WHERE item_id IN (SELECT value FROM json_each(?)) AND state = ?)
           AND ${inState('stopped')}`,
      )
      .bind(now, ids, state),
    db
      .prepare(
        `UPDATE writes SET state = CASE WHEN EXISTS (
             SELECT 1 FROM transactions WHERE item_id = writes.item_id AND dead = 0 AND state IN ('sent', 'mined'))
           THEN 'writing' ELSE 'queued' END
         WHERE item_id IN (SELECT value FROM json_each(?)) AND state = ?`,
      )
      .bind(ids, state),
  ]
}

/**
 * The statements that publish a chain item with its txids. They fail their batch unless it is being written and all
 * of its `txids.length` transactions are in blocks at or below `height`.
 */
export function publishChainItemStatements(
  db: D1Database,
  itemId: string,
  txids: readonly string[],
  height: number,
  now: number,
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `(SELECT COUNT(*) FROM transactions WHERE item_id = ? AND dead = 0 AND state = 'mined' AND block_height <= ?) = ?
       AND EXISTS (SELECT 1 FROM writes WHERE item_id = ? AND state = 'writing' AND transactions = ?)`,
      ...[itemId, height, txids.length],
      ...[itemId, txids.length],
    ),
    db.prepare('INSERT INTO item_txids (item_id, txids) VALUES (?, ?)').bind(itemId, txids.join('')),
    insertItemEventsStatement(db, 'item.stored', beingWritten(itemId), { now }),
    db
      .prepare(
        `UPDATE items SET status = ${STATUS.stored}, message = NULL, transactions = ?1, written = ?1, confirmed = ?1,
           updated_at = ?2
         WHERE id = ?3 AND ${inState('writing')}`,
      )
      .bind(txids.length, now, itemId),
    storePartsStatement(db, itemId, now),
    db.prepare(`UPDATE writes SET state = 'published', fold_from = ? WHERE item_id = ?`).bind(height, itemId),
  ]
}

/** The statement that calls the files of a directory stored once it is. */
function storePartsStatement(db: D1Database, itemId: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE items SET status = ${STATUS.stored}, message = NULL, updated_at = ?1
       WHERE part_of = ?2 AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?2 AND ${inState('stored', 'd')})`,
    )
    .bind(now, itemId)
}

const beingWritten = (id: string) => ({ sql: `id = ? AND ${inState('writing')}`, values: [id] })

/** The statements that publish an IPFS item, whose blocks are served from now on, and with a directory its files. */
export function publishIpfsItemStatements(db: D1Database, itemId: string, now: number): D1PreparedStatement[] {
  return [
    insertItemEventsStatement(db, 'item.stored', beingWritten(itemId), { now }),
    db
      .prepare(
        `UPDATE items SET status = ${STATUS.stored}, message = NULL, updated_at = ? WHERE id = ? AND ${inState('writing')}`,
      )
      .bind(now, itemId),
    storePartsStatement(db, itemId, now),
    db.prepare(`UPDATE writes SET state = 'done' WHERE item_id = ? AND state IN ('queued', 'writing')`).bind(itemId),
  ]
}

/** An unpaid item that no request waits to be paid for, nor is part of a directory; a merge may be under way. */
const REMOVABLE = `${inState(['uploading', 'merging', 'unpaid'])} AND part_of IS NULL AND removed_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM payment_request_items WHERE item_id = items.id AND waiting = 1)`

/** The statement that fails its batch unless the item is unpaid and no request waits to be paid for it. */
export function assertRemovableStatement(db: D1Database, id: string): D1PreparedStatement {
  return assertionStatement(db, `EXISTS (SELECT 1 FROM items WHERE id = ? AND ${REMOVABLE})`, id)
}

/**
 * The statements that hide an unpaid item permanently: with a directory item its files, and the folder that it was merged from.
 * They change nothing when the item is paid, waited for by a request, part of a directory, or gone. What is hidden is
 * deleted by the sweep.
 */
export function removeItemStatements(db: D1Database, id: string, now: number): D1PreparedStatement[] {
  return removalStatements(db, id, now, REMOVABLE)
}

function removalStatements(db: D1Database, id: string, now: number, condition: string): D1PreparedStatement[] {
  return [
    `UPDATE items SET removed_at = ?2 WHERE id = ?1 AND ${condition}`,
    `UPDATE items SET removed_at = ?2 WHERE part_of = ?1 AND removed_at IS NULL
       AND EXISTS (SELECT 1 FROM items d WHERE d.id = ?1 AND d.removed_at = ?2)`,
    `WITH RECURSIVE tree (id) AS (
       SELECT directory_of FROM items WHERE id = ?1 AND removed_at = ?2
       UNION ALL SELECT f.id FROM folders f JOIN tree ON f.parent_id = tree.id)
     DELETE FROM folders WHERE id IN (SELECT id FROM tree)`,
  ].map((sql) => db.prepare(sql).bind(id, now))
}

/**
 * The statements that take a stored item on IPFS down, whoever's it is: with a directory its files, and the folder that it was
 * merged from. They fail their batch for an item that is not stored on IPFS, is a file of a directory, or is gone.
 */
export function takeDownStatements(db: D1Database, id: string, now: number): D1PreparedStatement[] {
  const sql = `id = ? AND blockchain = 'IPFS' AND ${inState('stored')} AND part_of IS NULL AND removed_at IS NULL`
  return [
    assertionStatement(db, `EXISTS (SELECT 1 FROM items WHERE ${sql})`, id),
    ...removalStatements(db, id, now, inState('stored')),
  ]
}

/** Items of an order that are removed in one batch. */
const REMOVED_AT_ONCE = 1_000

/**
 * Hides unpaid items of an order of a user for good, as {@link removeItemStatements} does each; what a request waits for
 * stays. Returns how many rows changed, with those of counts and lists: none where nothing is left.
 */
export async function removeOrderItems(
  db: D1Database,
  { userId, orderId }: { userId: string; orderId: string },
  now: number,
): Promise<number> {
  const sql = `SELECT id FROM items WHERE user_id = ? AND order_id = ? AND ${REMOVABLE} LIMIT ${REMOVED_AT_ONCE}`
  return await hideItems(db, userId, { sql, values: [userId, orderId] }, now)
}

/**
 * Hides unpaid items of a user for good, from the one on that was touched longest ago, until there are so many, or as many
 * bytes, but for what a request waits for.
 */
export async function removeOldestItems(
  db: D1Database,
  userId: string,
  { items, bytes }: { items: number; bytes: number },
  now: number,
): Promise<void> {
  const sql = `SELECT id FROM (
      SELECT id, ROW_NUMBER() OVER oldest AS place, SUM(size) OVER oldest - size AS before
      FROM items INDEXED BY items_removable WHERE user_id = ? AND status IN (201, 402) AND ${REMOVABLE}
      WINDOW oldest AS (ORDER BY updated_at, id ROWS UNBOUNDED PRECEDING))
    WHERE place <= ? OR before < ? ORDER BY place LIMIT ${REMOVED_AT_ONCE}`
  await hideItems(db, userId, { sql, values: [userId, items, bytes] }, now)
}

/** Hides the items of a user whose ids `sql` selects: with a directory item its files, and the folder that it was merged from. */
async function hideItems(
  db: D1Database,
  userId: string,
  { sql, values }: { sql: string; values: readonly (string | number)[] },
  now: number,
): Promise<number> {
  const removed = 'SELECT id FROM items WHERE removed_at = ?1 AND user_id = ?2 AND directory_of IS NOT NULL'
  const [hidden] = await db.batch([
    db.prepare(`UPDATE items SET removed_at = ? WHERE id IN (${sql})`).bind(now, ...values),
    ...[
      `UPDATE items SET removed_at = ?1 WHERE part_of IN (${removed}) AND removed_at IS NULL`,
      `WITH RECURSIVE tree (id) AS (
         SELECT directory_of FROM items WHERE id IN (${removed})
         UNION ALL SELECT f.id FROM folders f JOIN tree ON f.parent_id = tree.id)
       DELETE FROM folders WHERE id IN (SELECT id FROM tree)`,
    ].map((statement) => db.prepare(statement).bind(now, userId)),
  ])
  return hidden?.meta.changes ?? 0
}
