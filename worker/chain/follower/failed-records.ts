import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { firstRow } from '../../platform/d1/first-row.ts'

/** Kinds of records that an agent may fail to process. */
export type FailedRecordKind =
  | 'payment'
  | 'request'
  | 'credit'
  | 'address'
  | 'item'
  | 'tx_chain'
  | 'refused'
  | 'withdrawal'
  | 'owner'

/** A record that could not be processed; times in milliseconds. */
export interface FailedRecord {
  kind: FailedRecordKind
  id: string
  reason: string
  tries: number
  since: number
  retryAt: number
}

/** The most failed records of one kind that are read or stored. */
const MAX_ROWS = 1_000
const MAX_REASON_CHARACTERS = 300

/** What is recorded as failed of a chain, of one kind or of all, the longest waiting first. */
export async function selectFailedRecords(
  db: D1Database,
  blockchain: Blockchain,
  kind?: FailedRecordKind,
): Promise<FailedRecord[]> {
  const { results } = await db
    .prepare(
      `SELECT kind, id, reason, tries, since, retry_at AS retryAt FROM failed_records
       WHERE blockchain = ?1 AND (?2 IS NULL OR kind = ?2) ORDER BY since LIMIT ${MAX_ROWS}`,
    )
    .bind(blockchain, kind ?? null)
    .all<FailedRecord>()
  return results
}

/** Those of `ids` that are recorded as failed under a kind, however many there are of that. */
export async function selectFailedIds(
  db: D1Database,
  blockchain: Blockchain,
  kind: FailedRecordKind,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { results } = await db
    .prepare(
      'SELECT id FROM failed_records WHERE blockchain = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))',
    )
    .bind(blockchain, kind, JSON.stringify(ids))
    .all<{ id: string }>()
  return new Set(results.map(({ id }) => id))
}

/** How many records of a chain are recorded as failed. */
export async function selectFailedRecordCount(db: D1Database, blockchain: Blockchain): Promise<number> {
  const statement = db.prepare('SELECT COUNT(*) AS n FROM failed_records WHERE blockchain = ?').bind(blockchain)
  return (await firstRow<{ n: number }>(statement)).n
}

/** The statement that records a failure of a record, or another one. */
export function upsertFailedRecordStatement(
  db: D1Database,
  blockchain: Blockchain,
  record: Omit<FailedRecord, 'since' | 'tries'>,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO failed_records (blockchain, kind, id, reason, tries, since, retry_at) VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)
       ON CONFLICT (blockchain, kind, id) DO UPDATE SET reason = ?4, tries = tries + 1, retry_at = ?6`,
    )
    .bind(blockchain, record.kind, record.id, record.reason.slice(0, MAX_REASON_CHARACTERS), now, record.retryAt)
}

/** The statement that removes these records from the failed ones. */
export function deleteFailedRecordStatement(
  db: D1Database,
  blockchain: Blockchain,
  kind: FailedRecordKind,
  ids: readonly string[],
): D1PreparedStatement {
  return db
    .prepare('DELETE FROM failed_records WHERE blockchain = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))')
    .bind(blockchain, kind, JSON.stringify(ids))
}

/**
 * The statement that has a record that failed tried again by the next step of its chain's agent: without an id, all of its kind;
 * without a chain, that of any chain.
 */
export function retryFailedRecordStatement(
  db: D1Database,
  { blockchain, kind, id }: { blockchain?: Blockchain; kind: string; id?: string },
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE failed_records SET retry_at = 0
       WHERE blockchain IN (SELECT value FROM json_each(?1)) AND kind = ?2 AND (?3 IS NULL OR id = ?3)`,
    )
    .bind(JSON.stringify(blockchain === undefined ? BLOCKCHAINS : [blockchain]), kind, id ?? null)
}

/** The statement that forgets records of a kind that nothing has tried again since `before`: they are over. */
export function deleteUntriedStatement(
  db: D1Database,
  blockchain: Blockchain,
  kind: FailedRecordKind,
  before: number,
): D1PreparedStatement {
  return db
    .prepare('DELETE FROM failed_records WHERE blockchain = ? AND kind = ? AND retry_at < ?')
    .bind(blockchain, kind, before)
}

/** The statement that removes the failed records that meet `condition`: SQL over `failed_records`, which names a chain, with `values`. */
export function deleteFailedWhereStatement(
  db: D1Database,
  condition: string,
  ...values: (string | number)[]
): D1PreparedStatement {
  return db.prepare(`DELETE FROM failed_records WHERE ${condition}`).bind(...values)
}
