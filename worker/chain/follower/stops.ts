import type { StopCause, StopPart } from '../../../contract/states.ts'
import type { Blockchain } from '../../../protocol/chains.ts'

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

/** The statement that raises the number of payouts to the agent's number, from when it found that the database has fewer. */
export function raiseToAgentNumberStatement(db: D1Database, blockchain: Blockchain): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO payout_numbers (blockchain, number)
       SELECT blockchain, number FROM stops WHERE blockchain = ? AND cause = 'restored' AND number IS NOT NULL
       ON CONFLICT (blockchain) DO UPDATE SET number = MAX(number, excluded.number)`,
    )
    .bind(blockchain)
}

/** How many payouts the chain's agent had begun when it found the database restored; `undefined` where it has not. */
export async function selectAgentNumber(db: D1Database, blockchain: Blockchain): Promise<number | undefined> {
  const row = await db
    .prepare(`SELECT number FROM stops WHERE blockchain = ? AND part = 'payouts' AND cause = 'restored'`)
    .bind(blockchain)
    .first<{ number: number | null }>()
  return row?.number ?? undefined
}

/** The statement that stores how many payouts the chain's agent had begun when it found the database restored; null for unknown. */
export function noteAgentNumberStatement(
  db: D1Database,
  blockchain: Blockchain,
  number: number | null,
): D1PreparedStatement {
  return db
    .prepare(`UPDATE stops SET number = ? WHERE blockchain = ? AND part = 'payouts' AND cause = 'restored'`)
    .bind(number, blockchain)
}
