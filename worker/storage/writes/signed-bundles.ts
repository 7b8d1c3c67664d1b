import type { Blockchain } from '../../../protocol/chains.ts'
import { assertion } from '../guarded-batch.ts'

/** R2 keys of signed bytes of which every transaction is in a block at or below `height`, or was given up. */
export async function selectFinalBundles(
  db: D1Database,
  blockchain: Blockchain,
  height: number,
  limit: number,
): Promise<string[]> {
  const { results } = await db
    .prepare(
      // Not one condition with OR: that would look at every transaction there ever was, at each step.
      `SELECT DISTINCT bundle FROM (
         SELECT bundle FROM transactions WHERE blockchain = ?1 AND block_height <= ?2 AND bundle != ''
         UNION ALL SELECT bundle FROM transactions WHERE blockchain = ?1 AND state = 'dead' AND bundle != ''
       ) AS final WHERE NOT EXISTS (
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

/**
 * Those of the R2 keys that no transaction refers to, which may be deleted: {@link assertNotSwept} keeps any from
 * referring to them later. The same again when their deletion was cut off.
 */
export async function sweepBundles(
  db: D1Database,
  blockchain: Blockchain,
  bundles: readonly string[],
): Promise<string[]> {
  const keys = JSON.stringify(bundles)
  const [, swept] = await db.batch<{ bundle: string }>([
    db
      .prepare(
        `INSERT INTO swept_bundles (bundle) SELECT value FROM json_each(?1)
         WHERE NOT EXISTS (SELECT 1 FROM transactions WHERE blockchain = ?2 AND bundle = value)
         ON CONFLICT DO NOTHING`,
      )
      .bind(keys, blockchain),
    db.prepare('SELECT bundle FROM swept_bundles WHERE bundle IN (SELECT value FROM json_each(?))').bind(keys),
  ])
  return swept?.results.map(({ bundle }) => bundle) ?? []
}

/** The statement that fails the batch that records transactions when their bytes were swept before it. */
export function assertNotSwept(db: D1Database, bundle: string): D1PreparedStatement {
  return assertion(db, 'NOT EXISTS (SELECT 1 FROM swept_bundles WHERE bundle = ?)', bundle)
}
