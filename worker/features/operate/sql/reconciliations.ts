import type { Blockchain } from '../../../../protocol/chains.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'

/** The result of comparing three books of the money of one chain; base units, `readAt` in milliseconds. */
export interface Reconciliation {
  blockchain: Blockchain
  /** What customers paid, as the ledger credited it, with what is in a block and waits to be credited. */
  ledger: bigint
  /** What customers paid, as the node's wallet received it, in blocks. */
  wallet: bigint
  /** What customers paid, in blocks whose Merkle root we checked. */
  chain: bigint
  /** What the ledger owes to accounts. */
  owed: bigint
  /** All that the wallet holds. */
  held: bigint
  /** What left the wallet by transactions that nobody has assigned. */
  unassigned: bigint
  readAt: number
  /** Since when it differs, in comparisons during which nothing moved; milliseconds. */
  differsSince: number | undefined
}

const toReconciliation = rowReader<Reconciliation>({
  ledger: BigInt,
  wallet: BigInt,
  chain: BigInt,
  owed: BigInt,
  held: BigInt,
  unassigned: BigInt,
})

/** The statement that stores the result of a comparison. */
export function upsertReconciliationStatement(db: D1Database, found: Reconciliation): D1PreparedStatement {
  const { blockchain, ledger, wallet, chain, owed, held, unassigned, readAt, differsSince } = found
  return db
    .prepare(
      `INSERT INTO reconciliations (blockchain, ledger, wallet, chain, owed, held, unassigned, read_at,
         differs_since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (blockchain) DO UPDATE SET ledger = excluded.ledger, wallet = excluded.wallet, chain = excluded.chain,
         owed = excluded.owed, held = excluded.held, unassigned = excluded.unassigned, read_at = excluded.read_at,
         differs_since = excluded.differs_since`,
    )
    .bind(blockchain, ...[ledger, wallet, chain, owed, held, unassigned].map(String), readAt, differsSince ?? null)
}

/** The last comparison of each chain. */
export async function selectReconciliations(db: D1Database): Promise<Reconciliation[]> {
  const { results } = await db.prepare('SELECT * FROM reconciliations ORDER BY blockchain').all<Row<Reconciliation>>()
  return results.map(toReconciliation)
}

/**
 * Whether a chain differed at its last comparison before `before`, while nothing moved, and was not stopped because of
 * it.
 */
export async function hasOpenDifference(db: D1Database, before: number): Promise<boolean> {
  const row = await db
    .prepare(
      `SELECT 1 AS open FROM reconciliations WHERE differs_since IS NOT NULL AND read_at <= ? AND NOT EXISTS (
         SELECT 1 FROM stops WHERE stops.blockchain = reconciliations.blockchain AND cause = 'difference') LIMIT 1`,
    )
    .bind(before)
    .first<{ open: number }>()
  return row !== null
}

/** Claims a comparison; `false` unless one was requested since the last, or the last was begun before `before`. */
export async function claimReconciliation(db: D1Database, before: number, now: number): Promise<boolean> {
  const { meta } = await db
    .prepare('UPDATE reconciliation_asks SET begun_at = ?1 WHERE asked_at > begun_at OR begun_at < ?2')
    .bind(now, before)
    .run()
  return meta.changes > 0
}
