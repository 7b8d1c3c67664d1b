import type { Blockchain } from '../../../protocol/chains.ts'
import type { BlockPosition } from '../chain/blocks.ts'
import type { WrittenTransaction } from './transactions.ts'

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
