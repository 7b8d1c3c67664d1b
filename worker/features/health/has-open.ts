import type { Blockchain } from '../../../protocol/chains.ts'
import { firstRow } from '../../platform/d1/first-row.ts'

/** Whether the agent of a chain has open work: an expected payment, an item to be written, or money to be sent. */
export async function selectHasOpen(db: D1Database, blockchain: Blockchain): Promise<boolean> {
  const statement = db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM payment_requests WHERE blockchain = ?1 AND state IN ('open', 'seen'))
         OR EXISTS (SELECT 1 FROM writes WHERE blockchain = ?1 AND state IN ('queued', 'writing', 'paused'))
         OR EXISTS (SELECT 1 FROM withdrawals WHERE blockchain = ?1 AND state = 'waiting') AS open`,
    )
    .bind(blockchain)
  return (await firstRow<{ open: number }>(statement)).open === 1
}
