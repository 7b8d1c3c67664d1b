import type { Blockchain, StorageTarget } from '../../../../protocol/chains.ts'
import { deleteFailedWhereStatement, retryFailedRecordStatement } from '../../../chain/follower/failed-records.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import { inState } from './item-state.ts'
import { resumeItemsStatements } from './move-items.ts'

export type WriteState = 'queued' | 'writing' | 'paused' | 'parked' | 'published' | 'done'

/** A paid item on its way to the chain (or, for IPFS, to being served). */
export interface WriteJob {
  itemId: string
  target: StorageTarget
  requestId: string
  state: WriteState
  dataBytes: number | undefined
  transactions: number | undefined
  nextIndex: number
  /** Bytes at `stored/<item id>`. */
  storedSize: number
  cid: string | undefined
  /** The fee rate that its price was made with, base units per 1,000 vbytes. */
  feeRate: bigint
  /** The highest fee rate at which a node found a transaction of it too cheap. */
  refusedRate: bigint | undefined
  /** The message for its payer while it is written. */
  message: string | undefined
  /** The stored item that this makes the index of; its id is not that of an item then. */
  indexOf: string | undefined
}

const toJob = rowReader<WriteJob>({ feeRate: BigInt, refusedRate: BigInt })

/** Writes read for one step; the others have their turn when these are done. */
export const MAX_WRITES = 1_000

/** In SQL: what transactions are to be made for, and what is on IPFS or written already. */
const PARTS = {
  all: '',
  toWrite: 'AND writes.target = writes.blockchain',
  others: "AND (writes.target != writes.blockchain OR writes.state = 'published')",
}

/**
 * At most {@link MAX_WRITES} writes of a chain in any of `states`, those that wait longest first: all, or those of one
 * part, so that writes that wait in one part do not exclude the other. With `quote` only those with a quote of at least
 * so much, base units per 1,000 vbytes.
 */
export async function selectWrites(
  db: D1Database,
  blockchain: Blockchain,
  states: readonly WriteState[],
  { part = 'all', quote = 0n }: { part?: keyof typeof PARTS; quote?: bigint } = {},
): Promise<WriteJob[]> {
  const { results } = await db
    .prepare(
      `SELECT writes.item_id, writes.target, request_id, writes.state, data_bytes, writes.transactions, next_index,
         IIF(index_of IS NULL, items.stored_size, data_bytes) AS stored_size, IIF(index_of IS NULL, items.cid, NULL) AS cid,
         IIF(index_of IS NULL, items.message, NULL) AS message, payment_requests.fee_rate, refused_rate, index_of
       FROM writes JOIN items ON items.id = IFNULL(index_of, writes.item_id) JOIN payment_requests ON payment_requests.id = request_id
       WHERE writes.blockchain = ? AND writes.state IN (SELECT value FROM json_each(?))
         ${PARTS[part]} AND CAST(payment_requests.fee_rate AS INTEGER) >= CAST(? AS INTEGER)
       ORDER BY writes.created_at, writes.item_id LIMIT ${MAX_WRITES}`,
    )
    .bind(blockchain, JSON.stringify(states), quote.toString())
    .all<Row<WriteJob>>()
  return results.map(toJob)
}

/** The writes of a chain that transactions are made for, as {@link selectWrites} has them, and behind these those that are begun. */
export async function selectToWrite(db: D1Database, blockchain: Blockchain): Promise<WriteJob[]> {
  const oldest = await selectWrites(db, blockchain, ['queued', 'writing'], { part: 'toWrite' })
  if (oldest.length < MAX_WRITES) return oldest
  const begun = await selectWrites(db, blockchain, ['writing'], { part: 'toWrite' })
  return [...new Map([...oldest, ...begun].map((write) => [write.itemId, write])).values()]
}

/** The statement that notes at which fee rate, base units per 1,000 vbytes, a node found a transaction of an item too cheap. */
export function noteRefusedRateStatement(db: D1Database, itemId: string, rate: bigint): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE writes SET refused_rate = ?1
       WHERE item_id = ?2 AND CAST(IFNULL(refused_rate, '0') AS INTEGER) < CAST(?1 AS INTEGER)`,
    )
    .bind(rate.toString(), itemId)
}

/** Whether anything paid is still to be written on a chain. */
export async function hasWrites(db: D1Database, blockchain: Blockchain): Promise<boolean> {
  const row = await db
    .prepare(`SELECT 1 AS found FROM writes WHERE blockchain = ? AND state IN ('queued', 'writing') LIMIT 1`)
    .bind(blockchain)
    .first<{ found: number }>()
  return row !== null
}

/**
 * The fee rates with which items were priced, in base units per 1,000 vbytes, regardless of the state of the items now.
 */
export async function selectQuotes(
  db: D1Database,
  itemIds: readonly string[],
): Promise<{ id: string; feeRate: bigint }[]> {
  const { results } = await db
    .prepare(
      `SELECT item_id AS id, fee_rate FROM writes JOIN payment_requests ON payment_requests.id = request_id
       WHERE item_id IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(itemIds))
    .all<{ id: string; fee_rate: string }>()
  return results.map(({ id, fee_rate }) => ({ id, feeRate: BigInt(fee_rate) }))
}

/** The statements that fix how an item is cut into transactions, unless that was done before. */
export function planWriteStatements(db: D1Database, itemId: string, dataBytes: number, transactions: number) {
  return [
    db
      .prepare(
        `UPDATE items SET transactions = ? WHERE id = ?
           AND EXISTS (SELECT 1 FROM writes WHERE item_id = items.id AND data_bytes IS NULL)`,
      )
      .bind(transactions, itemId),
    db
      .prepare('UPDATE writes SET data_bytes = ?, transactions = ? WHERE item_id = ? AND data_bytes IS NULL')
      .bind(dataBytes, transactions, itemId),
  ]
}

/**
 * The statements that record that every payload below `index` has a transaction. They fail their batch unless the item
 * is being written and its next index is still `from`: transactions may have been dropped, or the item stopped, since
 * the plan was made, which would then omit a payload.
 */
export function advanceWriteStatements(
  db: D1Database,
  itemId: string,
  from: number,
  index: number,
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM writes WHERE item_id = ? AND next_index = ? AND state IN ('queued', 'writing'))`,
      itemId,
      from,
    ),
    db.prepare('UPDATE writes SET next_index = ? WHERE item_id = ?').bind(index, itemId),
  ]
}

/**
 * The statement that starts the items of which the node has accepted a transaction: all their other transactions may
 * follow. It reads the recorded transactions, because the reply to sending one may have been lost.
 */
export function startWritesStatement(db: D1Database, blockchain: Blockchain): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE writes SET state = 'writing' WHERE blockchain = ? AND state = 'queued' AND EXISTS (
         SELECT 1 FROM transactions WHERE item_id = writes.item_id AND dead = 0 AND state IN ('sent', 'mined'))`,
    )
    .bind(blockchain)
}

/**
 * The statement that deletes the failed records of items and indexes that are written, or are not to be, and of which no
 * transaction waits: another's block may have held what our node had refused.
 */
export function deleteWrittenFailuresStatement(db: D1Database, blockchain: Blockchain): D1PreparedStatement {
  return deleteFailedWhereStatement(
    db,
    `blockchain = ? AND kind = 'refused' AND EXISTS (
       SELECT 1 FROM writes WHERE item_id = failed_records.id AND state IN ('published', 'done') AND NOT EXISTS (
         SELECT 1 FROM transactions WHERE item_id = writes.item_id AND dead = 0 AND block_height IS NULL))`,
    blockchain,
  )
}

/** The statement after which nothing is left to do for a published item. */
export function finishWriteStatement(db: D1Database, itemId: string): D1PreparedStatement {
  return db.prepare(`UPDATE writes SET state = 'done' WHERE item_id = ? AND state = 'published'`).bind(itemId)
}

/**
 * The statements with which an operator resumes a stopped item, whether or not its payment is back. An item without a
 * live transaction is cut again, by the current configuration; an index is not.
 */
export function retryWriteStatements(db: D1Database, itemId: string, now: number): D1PreparedStatement[] {
  return [
    assertionStatement(db, `EXISTS (SELECT 1 FROM writes WHERE item_id = ? AND state IN ('paused', 'parked'))`, itemId),
    db
      .prepare(
        `UPDATE writes SET unbacked = unbacked OR state = 'paused', replan = replan OR state = 'parked',
           data_bytes = CASE WHEN live.n > 0 OR index_of IS NOT NULL THEN data_bytes END,
           transactions = CASE WHEN live.n > 0 OR index_of IS NOT NULL THEN transactions END
         FROM (SELECT COUNT(*) AS n FROM transactions WHERE item_id = ?1 AND dead = 0) AS live
         WHERE item_id = ?1`,
      )
      .bind(itemId),
    ...resumeItemsStatements(db, [itemId], 'paused', now),
    ...resumeItemsStatements(db, [itemId], 'parked', now),
    retryFailedRecordStatement(db, { kind: 'refused', id: itemId }),
  ]
}

/** Those of the items that an operator has released to be written again at once. */
export async function selectReplanned(db: D1Database, itemIds: readonly string[]): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT item_id FROM writes WHERE item_id IN (SELECT value FROM json_each(?)) AND replan = 1
         AND state IN ('queued', 'writing')`,
    )
    .bind(JSON.stringify(itemIds))
    .all<{ item_id: string }>()
  return results.map((row) => row.item_id)
}

/**
 * Items of a chain that were stopped because an input of one of their transactions was double-spent, and that may be
 * written again: that transaction is dead, or its coin is unspent again.
 */
export async function selectUncontested(db: D1Database, blockchain: Blockchain): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT item_id FROM writes WHERE blockchain = ? AND state = 'parked' AND replan = 1 AND NOT EXISTS (
         SELECT 1 FROM transactions
         WHERE item_id = writes.item_id AND dead = 0 AND state IN ('signed', 'sent') AND spent_height IS NOT NULL)
       LIMIT ${MAX_WRITES}`,
    )
    .bind(blockchain)
    .all<{ item_id: string }>()
  return results.map((row) => row.item_id)
}

/** The statement that clears the operator's release of items to be written again. */
export function clearReplannedStatement(db: D1Database, itemIds: readonly string[]): D1PreparedStatement {
  return db
    .prepare('UPDATE writes SET replan = 0 WHERE item_id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(itemIds))
}

/** The statement after which the payloads of items are planned again from `first` on: `select` gives `item_id` and `first`. */
export function stepBackWritesStatement(
  db: D1Database,
  select: string,
  values: readonly string[],
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE writes SET next_index = MIN(next_index, dead.first) FROM (${select}) AS dead
       WHERE writes.item_id = dead.item_id`,
    )
    .bind(...values)
}

/** The statement that stores how many transactions of items are written and confirmed, by SQL of one row of items each. */
export function updateWrittenStatement(
  db: D1Database,
  itemIds: readonly string[],
  { written, confirmed }: Record<'written' | 'confirmed', string>,
  values: readonly number[],
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE items SET written = ${written}, confirmed = ${confirmed}
       WHERE ${inState('writing')} AND id IN (SELECT value FROM json_each(?))`,
    )
    .bind(...values, JSON.stringify(itemIds))
}

/** Data bytes in each transaction of an item; undefined until the writer planned it. */
export async function selectDataBytes(db: D1Database, itemId: string): Promise<number | undefined> {
  const row = await db
    .prepare('SELECT data_bytes FROM writes WHERE item_id = ?')
    .bind(itemId)
    .first<{ data_bytes: number | null }>()
  return row?.data_bytes ?? undefined
}

/** Items of these requests that are being written or paused. */
export async function selectItemsOfRequests(
  db: D1Database,
  requestIds: readonly string[],
  states: readonly ('queued' | 'writing' | 'paused')[],
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT item_id FROM writes WHERE request_id IN (SELECT value FROM json_each(?))
         AND state IN (SELECT value FROM json_each(?)) AND unbacked = 0`,
    )
    .bind(JSON.stringify(requestIds), JSON.stringify(states))
    .all<{ item_id: string }>()
  return results.map((row) => row.item_id)
}
