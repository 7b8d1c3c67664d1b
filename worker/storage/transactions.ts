import type { Blockchain } from '../../protocol/chains.ts'
import type { BlockPosition } from './blocks.ts'

export type TransactionState = 'signed' | 'sent' | 'mined' | 'dead'

/** A transaction that we signed; amounts in base units. */
export interface WrittenTransaction {
  txid: string
  lane: number
  seq: number
  /** `undefined` for one that only pays for the lane before it. */
  itemId: string | undefined
  itemIndex: number | undefined
  /** R2 key of the signed bytes, and where this one's lie in it. */
  bundle: string
  offset: number
  length: number
  vsize: number
  fee: bigint
  changeVout: number
  changeValue: bigint
  state: TransactionState
  attempts: number
  /** Height of the best chain when the node first took it, and when it was last known to be in the mempool. */
  sentHeight: number | undefined
  checkedHeight: number | undefined
  blockHeight: number | undefined
}

interface TransactionRow {
  txid: string
  lane: number
  seq: number
  item_id: string | null
  item_index: number | null
  bundle: string
  offset: number
  length: number
  vsize: number
  fee: string
  change_vout: number
  change_value: string
  state: TransactionState
  attempts: number
  sent_height: number | null
  checked_height: number | null
  block_height: number | null
}

const COLUMNS = `txid, lane, seq, item_id, item_index, bundle, "offset", length, vsize, fee, change_vout, change_value,
  state, attempts, sent_height, checked_height, block_height`

function toTransaction(row: TransactionRow): WrittenTransaction {
  return {
    txid: row.txid,
    lane: row.lane,
    seq: row.seq,
    itemId: row.item_id ?? undefined,
    itemIndex: row.item_index ?? undefined,
    bundle: row.bundle,
    offset: row.offset,
    length: row.length,
    vsize: row.vsize,
    fee: BigInt(row.fee),
    changeVout: row.change_vout,
    changeValue: BigInt(row.change_value),
    state: row.state,
    attempts: row.attempts,
    sentHeight: row.sent_height ?? undefined,
    checkedHeight: row.checked_height ?? undefined,
    blockHeight: row.block_height ?? undefined,
  }
}

/** What a newly signed transaction is recorded with. */
export interface SignedTransaction
  extends Omit<WrittenTransaction, 'state' | 'attempts' | 'sentHeight' | 'checkedHeight' | 'blockHeight'> {
  inputs: readonly { txid: string; vout: number }[]
}

/**
 * The statements that record signed transactions and what they spend; they fail where an output is spent already. One
 * that was given up comes back to life when the same is signed again: that it is still the same is what a txid says.
 */
export function insertTransactions(
  db: D1Database,
  blockchain: Blockchain,
  transactions: readonly SignedTransaction[],
): D1PreparedStatement[] {
  const rows = transactions.map(({ inputs: _, ...transaction }) => ({
    ...transaction,
    fee: transaction.fee.toString(),
    changeValue: transaction.changeValue.toString(),
  }))
  const inputs = transactions.flatMap(({ txid, inputs }) =>
    inputs.map((input) => ({ prevTxid: input.txid, prevVout: input.vout, txid })),
  )
  return [
    db
      .prepare(
        `INSERT INTO transactions (blockchain, txid, lane, seq, item_id, item_index, bundle, "offset", length, vsize, fee,
           change_vout, change_value, state)
         SELECT ?, value ->> 'txid', value ->> 'lane', value ->> 'seq', value ->> 'itemId', value ->> 'itemIndex',
           value ->> 'bundle', value ->> 'offset', value ->> 'length', value ->> 'vsize', value ->> 'fee',
           value ->> 'changeVout', value ->> 'changeValue', 'signed'
         FROM json_each(?) WHERE true
         ON CONFLICT (blockchain, txid) DO UPDATE SET state = 'signed', lane = excluded.lane, seq = excluded.seq,
           item_id = excluded.item_id, item_index = excluded.item_index, bundle = excluded.bundle,
           "offset" = excluded."offset", length = excluded.length
         WHERE state = 'dead'`,
      )
      .bind(blockchain, JSON.stringify(rows)),
    db
      .prepare(
        `INSERT INTO transaction_inputs (blockchain, prev_txid, prev_vout, txid)
         SELECT ?, value ->> 'prevTxid', value ->> 'prevVout', value ->> 'txid' FROM json_each(?)`,
      )
      .bind(blockchain, JSON.stringify(inputs)),
  ]
}

/** Live transactions that have no block, in the order in which they can be sent. */
export async function selectUnmined(db: D1Database, blockchain: Blockchain): Promise<WrittenTransaction[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM transactions WHERE blockchain = ? AND state IN ('signed', 'sent') ORDER BY seq, lane`,
    )
    .bind(blockchain)
    .all<TransactionRow>()
  return results.map(toTransaction)
}

/** The last live transaction of each open lane that has one. */
export async function selectLaneTips(db: D1Database, blockchain: Blockchain): Promise<WrittenTransaction[]> {
  const { results } = await db
    .prepare(
      // Lane by lane: all transactions there ever were must not be looked at for each step.
      `SELECT ${COLUMNS.replace('state', 'transactions.state')} FROM lanes CROSS JOIN transactions
       ON transactions.blockchain = lanes.blockchain AND transactions.lane = lanes.id AND transactions.state != 'dead'
         AND transactions.seq = (SELECT MAX(seq) FROM transactions AS own
           WHERE own.blockchain = lanes.blockchain AND own.lane = lanes.id AND own.state != 'dead')
       WHERE lanes.blockchain = ? AND lanes.state = 'open'`,
    )
    .bind(blockchain)
    .all<TransactionRow>()
  return results.map(toTransaction)
}

/** Outputs that live transactions of ours spend, as `txid:vout`. */
export async function selectSpent(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
): Promise<Set<string>> {
  const { results } = await db
    .prepare(
      `SELECT prev_txid || ':' || prev_vout AS point FROM transaction_inputs
       WHERE blockchain = ? AND prev_txid IN (SELECT value FROM json_each(?))`,
    )
    .bind(blockchain, JSON.stringify(txids))
    .all<{ point: string }>()
  return new Set(results.map(({ point }) => point))
}

/** Indexes of an item's payloads, from `from` on, that have a live transaction. */
export async function selectIndexes(db: D1Database, itemId: string, from: number): Promise<Set<number>> {
  const { results } = await db
    .prepare(`SELECT item_index AS n FROM transactions WHERE item_id = ? AND state != 'dead' AND item_index >= ?`)
    .bind(itemId, from)
    .all<{ n: number }>()
  return new Set(results.map(({ n }) => n))
}

/** The statement that counts an attempt to send, before it is made. */
export function countAttempts(db: D1Database, blockchain: Blockchain, txids: readonly string[]): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE transactions SET attempts = attempts + 1
       WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))`,
    )
    .bind(blockchain, JSON.stringify(txids))
}

/** The statement that notes that transactions are in the node's mempool, at this height of the best chain. */
export function markSent(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
  height: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE transactions SET state = 'sent', sent_height = IFNULL(sent_height, ?1), checked_height = ?1
       WHERE blockchain = ?2 AND txid IN (SELECT value FROM json_each(?3)) AND state IN ('signed', 'sent')`,
    )
    .bind(height, blockchain, JSON.stringify(txids))
}

/** The statements that put transactions into blocks, those that are still followed. */
export function markMined(
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
        `UPDATE transactions SET state = 'mined', block_hash = ?1, block_height = ?2
         WHERE blockchain = ?3 AND txid IN (SELECT value FROM json_each(?4)) AND state IN ('signed', 'sent')
           AND EXISTS (SELECT 1 FROM blocks WHERE blockchain = ?3 AND height = ?2 AND hash = ?1)`,
      )
      .bind(hash, height, blockchain, JSON.stringify(txids)),
  )
}

/** The statement that takes transactions above `height` off the chain: they go back to being sent. */
export function unmineTransactionsAbove(db: D1Database, blockchain: Blockchain, height: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE transactions SET state = 'sent', block_hash = NULL, block_height = NULL
       WHERE blockchain = ? AND block_height > ? AND state = 'mined'`,
    )
    .bind(blockchain, height)
}

/**
 * The statements that give up transactions that never can be on the chain, and free what they spend. Their payloads
 * are planned again.
 */
export function markDead(
  db: D1Database,
  blockchain: Blockchain,
  transactions: readonly Pick<WrittenTransaction, 'txid'>[],
): D1PreparedStatement[] {
  const txids = JSON.stringify(transactions.map(({ txid }) => txid))
  return [
    db
      .prepare(
        `UPDATE transactions SET state = 'dead' WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))`,
      )
      .bind(blockchain, txids),
    db
      .prepare('DELETE FROM transaction_inputs WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?))')
      .bind(blockchain, txids),
    db
      .prepare(
        `UPDATE writes SET next_index = MIN(next_index, dead.first) FROM (
           SELECT item_id, MIN(item_index) AS first FROM transactions
           WHERE blockchain = ? AND txid IN (SELECT value FROM json_each(?)) AND item_id IS NOT NULL GROUP BY item_id
         ) AS dead WHERE writes.item_id = dead.item_id`,
      )
      .bind(blockchain, txids),
  ]
}

/** The txids of an item's live transactions in the order of its payloads. */
export async function selectItemTxids(db: D1Database, itemId: string): Promise<string[]> {
  const { results } = await db
    .prepare(`SELECT txid FROM transactions WHERE item_id = ? AND state != 'dead' ORDER BY item_index`)
    .bind(itemId)
    .all<{ txid: string }>()
  return results.map(({ txid }) => txid)
}

/** The statement that shows how far items are: taken by the node, and at `depth` or deeper on the chain. */
export function updateProgress(
  db: D1Database,
  itemIds: readonly string[],
  tipHeight: number,
  depth: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE items SET written = (
         SELECT COUNT(*) FROM transactions WHERE item_id = items.id AND state IN ('sent', 'mined')),
       confirmed = (
         SELECT COUNT(*) FROM transactions WHERE item_id = items.id AND state = 'mined' AND block_height <= ?)
       WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .bind(tipHeight - depth + 1, JSON.stringify(itemIds))
}

/** R2 keys of signed bytes of which every transaction is in a block at or below `height`, or was given up. */
export async function selectFinalBundles(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
  limit: number,
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT DISTINCT bundle FROM transactions AS final
       WHERE blockchain = ?1 AND block_height <= ?2 AND bundle != '' AND NOT EXISTS (
         SELECT 1 FROM transactions AS other WHERE other.blockchain = ?1 AND other.bundle = final.bundle
           AND (other.state IN ('signed', 'sent') OR other.block_height > ?2))
       LIMIT ?3`,
    )
    .bind(blockchain, height, limit)
    .all<{ bundle: string }>()
  return results.map(({ bundle }) => bundle)
}

/** The statement that notes that signed bytes are deleted. */
export function forgetBundles(db: D1Database, blockchain: Blockchain, bundles: readonly string[]): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE transactions SET bundle = ''
       WHERE blockchain = ? AND bundle IN (SELECT value FROM json_each(?))`,
    )
    .bind(blockchain, JSON.stringify(bundles))
}
