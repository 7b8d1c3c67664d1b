import { BLOCKCHAINS, type Blockchain } from '../../../../protocol/chains.ts'

/** A record that waits for an operator, or for its next try; `since` in milliseconds. */
export interface FailedRecordDetails {
  blockchain: Blockchain
  /**
   * `stopped` is an item in `409 Conflict`, or the index of one, and `held` a withdrawal above a limit; the others are what the agent of a
   * chain recorded as failed.
   */
  kind: string
  id: string
  reason: string
  since: number
  /** What it is called: an item's name, the address of a request or of a withdrawal. */
  subject: string | null
  /** The account that it is of. */
  owner: string | null
}

/** In SQL: what is written to a chain and not to IPFS. */
const CHAIN_NAMES = BLOCKCHAINS.map((name) => `'${name}'`).join(', ')

/** Where a list of them goes on. */
export interface RecordCursor {
  since: number
  name: string
}

/** A record's name in lists and paths, unique. */
export function recordName({ blockchain, kind, id }: Pick<FailedRecordDetails, 'blockchain' | 'kind' | 'id'>): string {
  return `${blockchain}-${kind}-${id}`
}

/** Why a stored item is in the list. */
const INDEX_STOPPED =
  'Its index is not written: the node refuses it, its coins are spent, or the payment left the chain.'

/** Everything that waits, as SQL. */
const WAITING = `SELECT failed_records.blockchain, failed_records.kind, failed_records.id, failed_records.reason, failed_records.since,
    CASE WHEN kind = 'request' THEN asked.address WHEN kind IN ('item', 'refused', 'withdrawal')
      THEN IFNULL(items.name, paying.address) END AS subject,
    CASE WHEN kind = 'request' THEN asked.user_id WHEN kind IN ('item', 'refused', 'withdrawal')
      THEN IFNULL(items.user_id, paying.user_id)
      WHEN kind = 'credit' THEN failed_records.id WHEN kind = 'address' THEN (
        SELECT user_id FROM addresses
        WHERE addresses.blockchain = failed_records.blockchain AND addresses.address = failed_records.id) END AS owner
  FROM failed_records LEFT JOIN items ON items.id = failed_records.id
    LEFT JOIN payment_requests AS asked ON asked.id = failed_records.id
    LEFT JOIN withdrawals AS paying ON paying.id = failed_records.id
  UNION ALL
  SELECT writes.blockchain, 'stopped', writes.item_id,
    IIF(index_of IS NULL, IFNULL(items.message, ''), '${INDEX_STOPPED}'), items.updated_at, items.name, items.user_id
  FROM writes JOIN items ON items.id = IFNULL(index_of, writes.item_id)
  WHERE writes.blockchain IN (${CHAIN_NAMES}) AND writes.state IN ('paused', 'parked')
  UNION ALL
  SELECT blockchain, 'held', id, IFNULL(reason, ''), IFNULL(since, created_at), address, user_id FROM withdrawals
  WHERE blockchain IN (${CHAIN_NAMES}) AND state = 'held'`

const NAME = `blockchain || '-' || kind || '-' || id`

/** What waits, the longest waiting first, behind `after`. */
export async function selectFailedRecordPage(
  db: D1Database,
  after: RecordCursor,
  limit: number,
): Promise<FailedRecordDetails[]> {
  const { results } = await db
    .prepare(`SELECT * FROM (${WAITING}) WHERE (since, ${NAME}) > (?, ?) ORDER BY since, ${NAME} LIMIT ?`)
    .bind(after.since, after.name, limit)
    .all<FailedRecordDetails>()
  return results
}

/** One record, if it still waits. */
export async function selectFailedRecordDetails(
  db: D1Database,
  { blockchain, kind, id }: Pick<FailedRecordDetails, 'blockchain' | 'kind' | 'id'>,
): Promise<FailedRecordDetails | undefined> {
  const row = await db
    .prepare(`SELECT * FROM (${WAITING}) WHERE blockchain = ? AND kind = ? AND id = ?`)
    .bind(blockchain, kind, id)
    .first<FailedRecordDetails>()
  return row ?? undefined
}

/** Records that are counted at most: more are as bad. */
const MAX_COUNTED = 10_000

/** How many records of a kind wait on a chain. */
export interface RecordCount {
  blockchain: Blockchain
  kind: string
  count: number
}

/** How many records wait, by chain and kind. */
export async function countFailedRecords(db: D1Database): Promise<RecordCount[]> {
  const { results } = await db
    .prepare(
      `SELECT blockchain, kind, COUNT(*) AS count FROM (SELECT blockchain, kind FROM (${WAITING}) LIMIT ${MAX_COUNTED})
       GROUP BY blockchain, kind ORDER BY blockchain, kind`,
    )
    .all<RecordCount>()
  return results
}

/** Since when the oldest withdrawal of each chain waits that needs no approval, in milliseconds. */
export async function selectOldestWithdrawals(db: D1Database): Promise<Map<Blockchain, number>> {
  const { results } = await db
    .prepare(
      `SELECT blockchain, MIN(created_at) AS since FROM withdrawals
       WHERE blockchain IN (${CHAIN_NAMES}) AND state = 'waiting' GROUP BY blockchain`,
    )
    .all<{ blockchain: Blockchain; since: number }>()
  return new Map(results.map(({ blockchain, since }) => [blockchain, since]))
}
