import type { Blockchain } from '../../../../protocol/chains.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { insertProgressStatement } from '../../items/sql/item-events.ts'
import { stepBackWritesStatement, updateWrittenStatement } from '../../items/sql/writes.ts'
import type { OwnTransaction } from './transactions.ts'

/** Counts an attempt to send, before it is made. Returns those that may be sent: another step may have given some up. */
export async function countAttempts(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
): Promise<Set<string>> {
  const { results } = await db
    .prepare(
      `UPDATE transactions SET attempts = attempts + 1
       WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?)) AND state != 'dead' RETURNING txid`,
    )
    .bind(blockchain, JSON.stringify(txids))
    .all<{ txid: string }>()
  return new Set(results.map(({ txid }) => txid))
}

/** The statement that fails its batch if an attempt to send one of these was counted. */
export function assertNeverSentStatement(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
): D1PreparedStatement {
  return assertionStatement(
    db,
    `NOT EXISTS (SELECT 1 FROM transactions
       WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?)) AND attempts > 0)`,
    ...[blockchain, JSON.stringify(txids)],
  )
}

/** The statement that notes that transactions are in the node's mempool, at this height of the best chain. */
export function markSentStatement(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
  height: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE transactions SET state = 'sent', sent_height = IFNULL(sent_height, ?1), checked_height = ?1,
         spent_height = NULL
       WHERE blockchain = ?2 AND txid IN (SELECT value FROM json_each(?3)) AND state IN ('signed', 'sent')`,
    )
    .bind(height, blockchain, JSON.stringify(txids))
}

/** The statement that notes that transactions were checked, or refused for now, at this height. */
export function markCheckedStatement(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
  height: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE transactions SET checked_height = ?1
       WHERE blockchain = ?2 AND txid IN (SELECT value FROM json_each(?3)) AND state IN ('signed', 'sent')`,
    )
    .bind(height, blockchain, JSON.stringify(txids))
}

/** The statements that put transactions into blocks, those that are still followed. */
export function markMinedStatements(
  db: D1Database,
  blockchain: Blockchain,
  mined: readonly (BlockPosition & { txid: string })[],
): D1PreparedStatement[] {
  const byBlock = new Map<string, { height: number; txids: string[] }>()
  for (const { hash, height, txid } of mined) {
    const block = byBlock.get(hash)
    if (block) block.txids.push(txid)
    else byBlock.set(hash, { height, txids: [txid] })
  }
  return [...byBlock].map(([hash, { height, txids }]) =>
    db
      .prepare(
        `UPDATE transactions SET state = 'mined', block_hash = ?1, block_height = ?2, spent_height = NULL
         WHERE blockchain = ?3 AND txid IN (SELECT value FROM json_each(?4)) AND state IN ('signed', 'sent')
           AND EXISTS (SELECT 1 FROM blocks WHERE blockchain = ?3 AND height = ?2 AND hash = ?1)`,
      )
      .bind(hash, height, blockchain, JSON.stringify(txids)),
  )
}

/**
 * The statements for a rollback: transactions above `height` leave their blocks and are `sent` again. Inputs that a block above
 * `height` spent otherwise may be unspent again.
 */
export function unmineTransactionsAboveStatements(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE transactions SET state = 'sent', block_hash = NULL, block_height = NULL
         WHERE blockchain = ? AND block_height > ? AND dead = 0 AND state = 'mined'`,
      )
      .bind(blockchain, height),
    db
      .prepare('UPDATE transactions SET spent_height = NULL WHERE blockchain = ? AND spent_height > ?')
      .bind(blockchain, height),
  ]
}

/**
 * The statement that notes that what transactions spend is spent otherwise, by a block at or below `height`. They are
 * looked at again when there is another block.
 */
export function markSpentOtherwiseStatement(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
  height: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE transactions SET spent_height = IFNULL(spent_height, ?1), checked_height = ?1
       WHERE blockchain = ?2 AND txid IN (SELECT value FROM json_each(?3)) AND state IN ('signed', 'sent')`,
    )
    .bind(height, blockchain, JSON.stringify(txids))
}

/** What is known of a transaction that is to be given up. */
export type GivenUp = Pick<OwnTransaction, 'txid' | 'state'>

/**
 * The statements that mark transactions as dead, which can never be mined, and free what they spend. Their payloads are
 * planned again. They fail their batch if one got further than is known: another step found it in a block, or sent it.
 */
export function markDeadStatements(
  db: D1Database,
  blockchain: Blockchain,
  transactions: readonly GivenUp[],
): D1PreparedStatement[] {
  const txids = JSON.stringify(transactions.map(({ txid }) => txid))
  const known = JSON.stringify(transactions.map(({ txid, state }) => ({ txid, state })))
  return [
    assertionStatement(
      db,
      `NOT EXISTS (SELECT 1 FROM json_each(?) AS known CROSS JOIN transactions
         ON blockchain = ? AND txid = known.value ->> 'txid'
         WHERE state = 'mined' OR state = 'sent' AND known.value ->> 'state' = 'signed')`,
      ...[known, blockchain],
    ),
    db
      .prepare(
        `UPDATE transactions SET state = 'dead' WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))`,
      )
      .bind(blockchain, txids),
    db
      .prepare('DELETE FROM transaction_inputs WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))')
      .bind(blockchain, txids),
    stepBackWritesStatement(
      db,
      `SELECT item_id, MIN(item_index) AS first FROM transactions
       WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?)) GROUP BY item_id`,
      [blockchain, txids],
    ),
  ]
}

/** Indexes of an item's payloads, from `from` on, that have a live transaction. */
export async function selectItemIndexes(db: D1Database, itemId: string, from: number): Promise<Set<number>> {
  const { results } = await db
    .prepare(`SELECT item_index AS n FROM transactions WHERE item_id = ? AND dead = 0 AND item_index >= ?`)
    .bind(itemId, from)
    .all<{ n: number }>()
  return new Set(results.map(({ n }) => n))
}

/** The txids of an item's live transactions in the order of its payloads. */
export async function selectItemTxids(db: D1Database, itemId: string): Promise<string[]> {
  const { results } = await db
    .prepare(`SELECT txid FROM transactions WHERE item_id = ? AND dead = 0 ORDER BY item_index`)
    .bind(itemId)
    .all<{ txid: string }>()
  return results.map(({ txid }) => txid)
}

/**
 * The statements that store and report the progress of items: how many transactions the node has accepted, and how many
 * are at `depth` or deeper on the chain.
 */
export function updateProgressStatements(
  db: D1Database,
  itemIds: readonly string[],
  { tipHeight, depth, now }: { tipHeight: number; depth: number; now: number },
): D1PreparedStatement[] {
  const own = 'SELECT COUNT(*) FROM transactions WHERE item_id = items.id AND dead = 0'
  return [
    updateWrittenStatement(
      db,
      itemIds,
      {
        written: `(${own} AND state IN ('sent', 'mined'))`,
        confirmed: `(${own} AND state = 'mined' AND block_height <= ?)`,
      },
      [tipHeight - depth + 1],
    ),
    insertProgressStatement(db, itemIds, now),
  ]
}

/** Items published in one step; the next goes on. */
export const MAX_PUBLISHED = 20

/** What is written, all of whose transactions are deep enough. */
export interface FullyMined {
  itemId: string
  /** Of an item that is a directory. */
  cid: string | null
  /** The item that this is the index of, or null. */
  indexOf: string | null
}

/**
 * Items, and indexes of items, being written all of whose transactions are in blocks at or below `height`: those with a failed record
 * last, so that they keep no others waiting.
 */
export async function selectFullyMined(db: D1Database, blockchain: Blockchain, height: number): Promise<FullyMined[]> {
  const { results } = await db
    .prepare(
      `SELECT item_id AS itemId, (SELECT cid FROM items WHERE id = item_id) AS cid, index_of AS indexOf
       FROM writes WHERE blockchain = ?1 AND state = 'writing' AND next_index >= writes.transactions
         AND transactions = (
           SELECT COUNT(*) FROM transactions AS mined
           WHERE mined.item_id = writes.item_id AND mined.dead = 0 AND mined.state = 'mined' AND mined.block_height <= ?2)
       ORDER BY EXISTS (SELECT 1 FROM failed_records WHERE blockchain = ?1 AND kind = 'item' AND id = writes.item_id)
       LIMIT ${MAX_PUBLISHED}`,
    )
    .bind(blockchain, height)
    .all<FullyMined>()
  return results
}
