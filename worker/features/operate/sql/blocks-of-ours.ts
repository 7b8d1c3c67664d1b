import type { Blockchain } from '../../../../protocol/chains.ts'
import type { BlockPosition } from '../../../chain/follower/blocks.ts'

/** The highest block above `below`, and no higher than `height`, that an output or a transaction of ours is known to be in. */
export async function selectHighestOfOurs(
  db: D1Database,
  blockchain: Blockchain,
  below: number,
  height: number,
): Promise<BlockPosition | undefined> {
  const highest = (table: string, height = 'block_height', hash = 'block_hash') =>
    `SELECT * FROM (SELECT ${height} AS height, ${hash} AS hash FROM ${table}
       WHERE blockchain = ?1 AND ${height} > ?2 AND ${height} <= ?3 ${table === 'transactions' ? 'AND dead = 0' : ''}
       ORDER BY ${height} DESC LIMIT 1)`
  const known = [highest('outputs'), highest('transactions'), highest('writes', 'folded_height', 'folded_hash')]
  const row = await db
    .prepare(`${known.join(' UNION ALL ')} ORDER BY height DESC LIMIT 1`)
    .bind(blockchain, below, height)
    .first<BlockPosition>()
  return row ?? undefined
}
