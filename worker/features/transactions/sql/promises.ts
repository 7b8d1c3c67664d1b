import type { Blockchain } from '../../../../protocol/chains.ts'
import { firstRow } from '../../../platform/d1/first-row.ts'

/** Base units that were quoted for the network's fees of what waits for payment or is still to be written. */
export async function selectPromisedFees(db: D1Database, blockchain: Blockchain): Promise<bigint> {
  const statement = db
    .prepare(
      // As text: D1 returns a number as a double.
      `SELECT CAST(IFNULL(SUM(CAST(network_fee AS INTEGER)), 0) AS TEXT) AS fees FROM payment_requests WHERE id IN (
         SELECT id FROM payment_requests WHERE blockchain = ?1 AND state IN ('open', 'seen')
         UNION SELECT request_id FROM writes
           WHERE blockchain = ?1 AND target = ?1 AND state IN ('queued', 'writing', 'paused', 'parked'))`,
    )
    .bind(blockchain)
  return BigInt((await firstRow<{ fees: string }>(statement)).fees)
}

/**
 * Base units that withdrawals without a live transaction will spend from the wallet, fees included, beyond the coins
 * that they are tied to.
 */
export async function selectPromisedPayouts(db: D1Database, blockchain: Blockchain): Promise<bigint> {
  const statement = db
    .prepare(
      // In two parts, and as text: no sum passes what an integer of SQLite holds, and no number of D1 is rounded.
      `SELECT CAST(IFNULL(SUM(due / 1000000000), 0) AS TEXT) AS high, CAST(IFNULL(SUM(due % 1000000000), 0) AS TEXT) AS low
       FROM (
         SELECT MAX(0, CAST(amount AS INTEGER) + CAST(fee AS INTEGER) - CAST(IFNULL(coin_value, '0') AS INTEGER)) AS due
         FROM withdrawals WHERE blockchain = ? AND state IN ('waiting', 'held', 'sent', 'failed') AND NOT EXISTS (
           SELECT 1 FROM transactions WHERE withdrawal_id = withdrawals.id AND state != 'dead'))`,
    )
    .bind(blockchain)
  const { high, low } = await firstRow<{ high: string; low: string }>(statement)
  return BigInt(high) * 1_000_000_000n + BigInt(low)
}
