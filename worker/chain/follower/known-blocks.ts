import type { Blockchain } from '../../../protocol/chains.ts'
import type { BlockPosition } from './blocks.ts'

/** The highest block above `below`, and no higher than `height`, that an output or a transaction of ours is known to be in. */
export async function selectHighestKnown(
  db: D1Database,
  blockchain: Blockchain,
  below: number,
  height: number,
): Promise<BlockPosition | undefined> {
  const highest = (table: string) =>
    `SELECT * FROM (SELECT block_height AS height, block_hash AS hash FROM ${table}
       WHERE blockchain = ?1 AND block_height > ?2 AND block_height <= ?3 ORDER BY block_height DESC LIMIT 1)`
  const row = await db
    .prepare(`${highest('outputs')} UNION ALL ${highest('transactions')} ORDER BY height DESC LIMIT 1`)
    .bind(blockchain, below, height)
    .first<BlockPosition>()
  return row ?? undefined
}
