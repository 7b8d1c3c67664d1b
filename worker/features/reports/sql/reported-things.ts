import type { DeniedKind } from '../../../../contract/states.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'

/** Whether something was reported before. */
export async function isReported(
  db: D1Database,
  { kind, digest }: { kind: DeniedKind; digest: string },
): Promise<boolean> {
  return (await db.prepare('SELECT 1 FROM reports WHERE kind = ? AND digest = ?').bind(kind, digest).first()) !== null
}

/** Whether this object id is that of a stored item or of a site. */
export async function isKnownItem(db: D1Database, id: string): Promise<boolean> {
  const row = await db
    .prepare(
      `SELECT 1 FROM (SELECT 1 FROM items WHERE id = ?1 AND status = 200 UNION ALL SELECT 1 FROM sites WHERE id = ?1)`,
    )
    .bind(id)
    .first()
  return row !== null
}

/** Whether a transaction is one that this service wrote. */
export async function isOwnTransaction(db: D1Database, blockchain: Blockchain, txid: string): Promise<boolean> {
  const statement = db.prepare('SELECT 1 FROM transactions WHERE blockchain = ? AND txid = ?')
  return (await statement.bind(blockchain, txid).first()) !== null
}
