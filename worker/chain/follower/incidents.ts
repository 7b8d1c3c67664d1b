import type { IncidentCode } from '../../../contract/states.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { assertionStatement } from '../../platform/d1/guarded-batch.ts'

/** A problem of a chain that an operator must check; `reason` is a sentence, `since` in milliseconds. */
export interface Incident {
  code: IncidentCode
  reason: string
  since: number
}

/** What lasts of a chain, the longest first: one of each code at most. */
export async function selectIncidents(db: D1Database, blockchain: Blockchain): Promise<Incident[]> {
  const { results } = await db
    .prepare('SELECT code, reason, since FROM incidents WHERE blockchain = ? ORDER BY since, code')
    .bind(blockchain)
    .all<Incident>()
  return results
}

/** The statement that inserts an incident, or updates the reason of an open one unless that is to stay (`keep`). */
export function insertIncidentStatement(
  db: D1Database,
  blockchain: Blockchain,
  { code, reason, since }: Incident,
  { keep = false } = {},
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO incidents (blockchain, code, reason, since) VALUES (?, ?, ?, ?)
       ON CONFLICT (blockchain, code) DO ${keep ? 'NOTHING' : 'UPDATE SET reason = excluded.reason WHERE reason != excluded.reason'}`,
    )
    .bind(blockchain, code, reason, since)
}

/** The statement that deletes an incident; with `reason`, only an incident with that reason. */
export function deleteIncidentStatement(
  db: D1Database,
  blockchain: Blockchain,
  code: IncidentCode,
  reason?: string,
): D1PreparedStatement {
  return db
    .prepare('DELETE FROM incidents WHERE blockchain = ?1 AND code = ?2 AND (?3 IS NULL OR reason = ?3)')
    .bind(blockchain, code, reason ?? null)
}

/** The statement that fails its batch where an incident of this code lasts. */
export function assertNoIncidentStatement(
  db: D1Database,
  blockchain: Blockchain,
  code: IncidentCode,
): D1PreparedStatement {
  return assertionStatement(
    db,
    'NOT EXISTS (SELECT 1 FROM incidents WHERE blockchain = ? AND code = ?)',
    ...[blockchain, code],
  )
}
