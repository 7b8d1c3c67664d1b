import type { StopCause, StopPart } from '../../../contract/states.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { assertionStatement } from '../../platform/d1/guarded-batch.ts'

/** A part of a chain's work that is stopped; `reason` is for the operator, `since` in milliseconds. */
export interface Stop {
  part: StopPart
  cause: StopCause
  reason: string
  since: number
}

/** What is stopped of a chain, by cause; the longest first. */
export async function selectStops(db: D1Database, blockchain: Blockchain): Promise<Stop[]> {
  const { results } = await db
    .prepare('SELECT part, cause, reason, since FROM stops WHERE blockchain = ? ORDER BY since, part, cause')
    .bind(blockchain)
    .all<Stop>()
  return results
}

/** The parts of a chain's work that are stopped, for any reason. */
export async function selectStoppedParts(db: D1Database, blockchain: Blockchain): Promise<Set<StopPart>> {
  return new Set((await selectStops(db, blockchain)).map(({ part }) => part))
}

/** The statement that stops a part; an existing stop for this cause is not changed. */
export function insertStopStatement(db: D1Database, blockchain: Blockchain, stop: Stop): D1PreparedStatement {
  const { part, cause, reason, since } = stop
  return db
    .prepare(
      `INSERT INTO stops (blockchain, part, cause, reason, since) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (blockchain, part, cause) DO NOTHING`,
    )
    .bind(blockchain, part, cause, reason, since)
}

/** The statement that fails its batch while a part is stopped. */
export function assertNotStoppedStatement(db: D1Database, blockchain: Blockchain, part: StopPart): D1PreparedStatement {
  return assertionStatement(
    db,
    'NOT EXISTS (SELECT 1 FROM stops WHERE blockchain = ? AND part = ?)',
    ...[blockchain, part],
  )
}

/** The statement that fails its batch where a part is stopped for this cause already. */
export function assertNotStoppedForStatement(
  db: D1Database,
  blockchain: Blockchain,
  part: StopPart,
  cause: StopCause,
): D1PreparedStatement {
  return assertionStatement(
    db,
    'NOT EXISTS (SELECT 1 FROM stops WHERE blockchain = ? AND part = ? AND cause = ?)',
    ...[blockchain, part, cause],
  )
}

/** The statement that removes the stops of a part for these causes. */
export function deleteStopsStatement(
  db: D1Database,
  blockchain: Blockchain,
  part: StopPart,
  causes: readonly StopCause[],
): D1PreparedStatement {
  return db
    .prepare('DELETE FROM stops WHERE blockchain = ? AND part = ? AND cause IN (SELECT value FROM json_each(?))')
    .bind(blockchain, part, JSON.stringify(causes))
}

/** What the storage of a chain's agent had when it found the database restored. */
interface NotedAgent {
  /** Payouts that were begun. */
  number: number
  mark: string
}

/** The statements that give the database the agent's mark and number of payouts, from when it found that it has others. */
export function followAgentStatements(db: D1Database, blockchain: Blockchain): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT INTO payout_numbers (blockchain, number)
         SELECT blockchain, number FROM stops WHERE blockchain = ? AND cause = 'restored' AND number IS NOT NULL
         ON CONFLICT (blockchain) DO UPDATE SET number = MAX(number, excluded.number)`,
      )
      .bind(blockchain),
    db
      .prepare(
        `INSERT INTO chain_states (blockchain, mark)
         SELECT blockchain, mark FROM stops WHERE blockchain = ? AND cause = 'restored' AND mark IS NOT NULL
         ON CONFLICT (blockchain) DO UPDATE SET mark = excluded.mark`,
      )
      .bind(blockchain),
  ]
}

/** What the chain's agent had when it found the database restored, and the deposits since; `undefined` where it has not. */
export async function selectNotedAgent(db: D1Database, blockchain: Blockchain): Promise<NotedAgent | undefined> {
  const row = await db
    .prepare(`SELECT number, mark FROM stops WHERE blockchain = ? AND part = 'payouts' AND cause = 'restored'`)
    .bind(blockchain)
    .first<{ number: number | null; mark: string | null }>()
  return row && row.number !== null && row.mark !== null ? { number: row.number, mark: row.mark } : undefined
}

/** The statement that notes what the chain's agent had when it found the database restored; `undefined` for unknown. */
export function noteAgentStatement(
  db: D1Database,
  blockchain: Blockchain,
  noted: NotedAgent | undefined,
): D1PreparedStatement {
  return db
    .prepare(`UPDATE stops SET number = ?, mark = ? WHERE blockchain = ? AND part = 'payouts' AND cause = 'restored'`)
    .bind(noted?.number ?? null, noted?.mark ?? null, blockchain)
}
