import type { Blockchain } from '../../../../protocol/chains.ts'
import { firstRow } from '../../../platform/d1/first-row.ts'

/**
 * The items that are paid on a chain and not written yet: how many, and since when the oldest waits, in milliseconds.
 */
export interface Backlog {
  waiting: number
  oldest: number | undefined
}

/** Maximum number of items that are counted: more are as bad. */
const MAX_COUNTED = 10_000

/** The paid items of a chain that are not written, stopped ones included. */
export async function selectBacklog(db: D1Database, blockchain: Blockchain): Promise<Backlog> {
  const statement = db
    .prepare(
      `SELECT COUNT(*) AS n, MIN(created_at) AS oldest FROM (
         SELECT created_at FROM writes
         WHERE blockchain = ? AND state IN ('queued', 'writing', 'paused', 'parked') LIMIT ${MAX_COUNTED})`,
    )
    .bind(blockchain)
  const { n, oldest } = await firstRow<{ n: number; oldest: number | null }>(statement)
  return { waiting: n, oldest: oldest ?? undefined }
}
