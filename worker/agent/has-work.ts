import type { AgentContext } from '../chain/follower/agent-context.ts'

/** How long an address is watched closely after it was issued, in milliseconds, even if its request has ended. */
const FRESH = 3_600_000

/**
 * Whether anything waits for the chain: a request, money without enough confirmations, an item being written, an
 * address just given out. Otherwise the watchdog's look once a minute is enough.
 */
export async function hasWork({ db, blockchain, now }: AgentContext): Promise<boolean> {
  const row = await db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM payment_requests WHERE blockchain = ?1 AND state IN ('open', 'seen'))
         OR EXISTS (SELECT 1 FROM outputs WHERE blockchain = ?1 AND credited = 0 AND dropped = 0 AND below IS NULL)
         OR EXISTS (SELECT 1 FROM writes WHERE blockchain = ?1 AND state IN ('queued', 'writing', 'paused', 'published'))
         OR EXISTS (SELECT 1 FROM transactions WHERE blockchain = ?1 AND block_height IS NULL AND dead = 0)
         OR EXISTS (SELECT 1 FROM withdrawals WHERE blockchain = ?1 AND state IN ('waiting', 'sent'))
         OR EXISTS (SELECT 1 FROM failed_records WHERE blockchain = ?1)
         OR EXISTS (SELECT 1 FROM addresses WHERE blockchain = ?1 AND created_at > ?2) AS work`,
    )
    .bind(blockchain, now - FRESH)
    .first<{ work: number }>()
  return row?.work === 1
}
