import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'

/** What was paid out recently beside what operators approved, in base units; `count` of the day, by all. */
export interface PayoutSums {
  own: { hour: bigint; day: bigint }
  all: { hour: bigint; day: bigint }
  count: number
}

interface SumRow {
  own: number
  recent: number
  high: string
  low: string
  n: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Payments of the service itself are the operator's own, and what an operator approved counts for nothing. */
const COUNTED = `blockchain = ? AND released_at > ? AND approved = 0 AND user_id != 'service'`

/** What of a chain was paid out in the last hour and day, to a user and to all. `now` in milliseconds. */
export async function selectPayoutSums(
  db: D1Database,
  blockchain: Blockchain,
  userId: string,
  now: number,
): Promise<PayoutSums> {
  const { results } = await db
    .prepare(
      // In two parts, and as text: no sum passes what an integer of SQLite holds, and no number of D1 is rounded.
      `SELECT user_id = ? AS own, released_at > ? AS recent, COUNT(*) AS n,
         CAST(SUM(CAST(amount AS INTEGER) / 1000000000) AS TEXT) AS high,
         CAST(SUM(CAST(amount AS INTEGER) % 1000000000) AS TEXT) AS low
       FROM withdrawals WHERE ${COUNTED} GROUP BY 1, 2`,
    )
    .bind(userId, now - HOUR, blockchain, now - DAY)
    .all<SumRow>()
  const sum = (rows: readonly SumRow[]) =>
    rows.reduce((total, { high, low }) => total + BigInt(high) * 1_000_000_000n + BigInt(low), 0n)
  const sums = (rows: readonly SumRow[]) => ({ hour: sum(rows.filter(({ recent }) => recent === 1)), day: sum(rows) })
  return {
    own: sums(results.filter(({ own }) => own === 1)),
    all: sums(results),
    count: results.reduce((total, { n }) => total + n, 0),
  }
}

/** The statement that fails its batch where more, or less, was paid out meanwhile than {@link selectPayoutSums} counted. */
export function assertPayoutCountStatement(
  db: D1Database,
  blockchain: Blockchain,
  count: number,
  now: number,
): D1PreparedStatement {
  return assertionStatement(db, `(SELECT COUNT(*) FROM withdrawals WHERE ${COUNTED}) = ?`, blockchain, now - DAY, count)
}
