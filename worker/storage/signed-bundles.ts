import type { Blockchain } from '../../protocol/chains.ts'

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
