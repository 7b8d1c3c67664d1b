import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import type { Coin } from '../../transactions/sql/tx-chains.ts'
import { IS_UNSENT, selectWithdrawalsById, type Withdrawal } from './withdrawals.ts'

/** Withdrawals to any of these scripts that are not sent and not tied to a coin, the longest waiting first. */
export async function selectUntiedByScript(
  db: D1Database,
  blockchain: Blockchain,
  scripts: readonly string[],
): Promise<Withdrawal[]> {
  const { results } = await db
    .prepare(
      `SELECT id FROM withdrawals WHERE blockchain = ? AND state IN ('waiting', 'held', 'failed') AND coin_txid IS NULL
         AND script IN (SELECT value FROM json_each(?)) ORDER BY created_at LIMIT 100`,
    )
    .bind(blockchain, JSON.stringify(scripts))
    .all<{ id: string }>()
  const found = await selectWithdrawalsById(
    db,
    results.map(({ id }) => id),
  )
  return found.toSorted((a, b) => a.createdAt - b.createdAt)
}

/**
 * The statements that take a withdrawal for sent by a transaction that the database has lost, which spends `coin`; one that is to end
 * still does, unless that is mined. They fail their batch where it has a live transaction, or is over. `now` in milliseconds.
 */
export function tieToPayoutStatements(db: D1Database, id: string, coin: Coin, now: number): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND (${IS_UNSENT} OR state = 'sent') AND NOT EXISTS (
         SELECT 1 FROM transactions WHERE withdrawal_id = withdrawals.id AND transactions.state != 'dead'))`,
      id,
    ),
    db
      .prepare(
        `UPDATE withdrawals SET state = 'waiting', reason = NULL, since = NULL, coin_txid = ?, coin_vout = ?,
           coin_value = ?, coin_script = ?, released_at = IFNULL(released_at, ?) WHERE id = ?`,
      )
      .bind(coin.txid, coin.vout, coin.value.toString(), coin.script, now, id),
  ]
}
