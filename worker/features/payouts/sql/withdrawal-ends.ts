import { deleteFailedWhereStatement } from '../../../chain/follower/failed-records.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import type { EndedAs } from '../record/end-records.ts'
import { IS_UNSENT, type WithdrawalEnding } from './withdrawals.ts'

/** Nothing was ever signed for a withdrawal, as SQL. */
const UNSIGNED = `coin_txid IS NULL AND ending IS NULL
  AND NOT EXISTS (SELECT 1 FROM transactions WHERE withdrawal_id = withdrawals.id)`

/** Whether anything was ever signed for a withdrawal. */
export async function selectIsSigned(db: D1Database, id: string): Promise<boolean> {
  const row = await db.prepare(`SELECT 1 AS free FROM withdrawals WHERE id = ? AND ${UNSIGNED}`).bind(id).first()
  return row === null
}

/** The statements that end a withdrawal for which nothing was ever signed; they fail their batch where that is not so. */
export function endUnsignedStatements(db: D1Database, id: string, state: EndedAs): D1PreparedStatement[] {
  return [
    assertionStatement(db, `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND ${IS_UNSENT} AND ${UNSIGNED})`, id),
    ...endStatements(db, id, state),
  ]
}

/** The statements that end a withdrawal whose coin is back in the wallet; they fail their batch unless it is to end so. */
export function finishEndingStatements(db: D1Database, id: string, state: WithdrawalEnding): D1PreparedStatement[] {
  return [
    assertionStatement(db, 'EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND ending = ?)', id, state),
    ...endStatements(db, id, state),
  ]
}

function endStatements(db: D1Database, id: string, state: EndedAs): D1PreparedStatement[] {
  return [
    db
      .prepare('UPDATE withdrawals SET state = ?, reason = NULL, since = NULL, ending = NULL WHERE id = ?')
      .bind(state, id),
    deleteFailedWhereStatement(
      db,
      `blockchain = (SELECT blockchain FROM withdrawals WHERE id = ?1) AND kind = 'refused' AND id = ?1`,
      id,
    ),
  ]
}

/**
 * The statements after which the agent brings the coin of a withdrawal back to the wallet, and ends it then. They fail their batch
 * where it is not on its way, or ends already, and where nothing was signed for it: what had been is lost by a restore, and there is no
 * coin to bring back. `now` in milliseconds.
 */
export function beginEndingStatements(
  db: D1Database,
  id: string,
  { ending, reason }: { ending: WithdrawalEnding; reason: string },
  now: number,
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND state IN ('waiting', 'sent', 'failed') AND ending IS NULL
         AND NOT (${UNSIGNED}))`,
      id,
    ),
    db
      .prepare(
        `UPDATE withdrawals SET ending = ?, reason = ?, since = ?, state = IIF(state = 'failed', 'waiting', state),
           back_tx_chain = NULL, back_height = NULL, spent_height = NULL WHERE id = ?`,
      )
      .bind(ending, reason, now, id),
  ]
}

/** The statements that have a withdrawal which ends do so in another way; they fail their batch where it does not wait for `was`. */
export function redirectEndingStatements(
  db: D1Database,
  id: string,
  was: string,
  { ending, reason }: { ending: WithdrawalEnding; reason: string },
  now: number,
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      'EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND ending IS NOT NULL AND reason = ?)',
      ...[id, was],
    ),
    db.prepare('UPDATE withdrawals SET ending = ?, reason = ?, since = ? WHERE id = ?').bind(ending, reason, now, id),
  ]
}

/** The statement after which a withdrawal that was to end is on its way as before: it was paid meanwhile. */
export function clearEndingStatement(db: D1Database, id: string): D1PreparedStatement {
  return db
    .prepare('UPDATE withdrawals SET ending = NULL, reason = NULL, since = NULL WHERE id = ? AND ending IS NOT NULL')
    .bind(id)
}

/**
 * The statements that tie a withdrawal that ends to the tx chain that brings its coin back, with the `reason` why it has not ended yet;
 * they fail where it does not end. `now` in milliseconds.
 */
export function returnToWalletStatements(
  db: D1Database,
  id: string,
  { txChain, height, reason }: { txChain: number; height: number; reason: string },
  now: number,
): D1PreparedStatement[] {
  return [
    assertionStatement(db, 'EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND ending IS NOT NULL)', id),
    db.prepare('UPDATE withdrawals SET back_tx_chain = ?, back_height = ? WHERE id = ?').bind(txChain, height, id),
    noteReasonStatement(db, id, reason, now),
  ]
}

/** The statement that notes at which height something else was first found to spend the coin of a withdrawal. */
export function noteCoinSpentStatement(db: D1Database, id: string, height: number): D1PreparedStatement {
  return db.prepare('UPDATE withdrawals SET spent_height = IFNULL(spent_height, ?) WHERE id = ?').bind(height, id)
}

/** The statement after which nothing is known to spend the coin of a withdrawal. */
export function clearCoinSpentStatement(db: D1Database, id: string): D1PreparedStatement {
  return db.prepare('UPDATE withdrawals SET spent_height = NULL WHERE id = ?').bind(id)
}

/** The statement that says why a withdrawal that ends has not ended yet; `now` in milliseconds. */
export function noteReasonStatement(db: D1Database, id: string, reason: string, now: number): D1PreparedStatement {
  return db
    .prepare('UPDATE withdrawals SET reason = ?1, since = ?2 WHERE id = ?3 AND ending IS NOT NULL AND reason IS NOT ?1')
    .bind(reason, now, id)
}

/** The statements that let a withdrawal pass the limits on payouts; they fail their batch unless it is held. */
export function approveStatements(db: D1Database, id: string): D1PreparedStatement[] {
  return [
    assertionStatement(db, `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND state = 'held')`, id),
    db
      .prepare(`UPDATE withdrawals SET state = 'waiting', approved = 1, reason = NULL, since = NULL WHERE id = ?`)
      .bind(id),
  ]
}

/** The statement that holds a withdrawal for which nothing was signed until an operator approves it. */
export function holdStatements(db: D1Database, id: string, reason: string, now: number): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND state = 'waiting' AND approved = 0 AND ${UNSIGNED})`,
      id,
    ),
    db.prepare(`UPDATE withdrawals SET state = 'held', reason = ?, since = ? WHERE id = ?`).bind(reason, now, id),
  ]
}

/** The statements that raise what was debited for the network's fee; they fail where that is not `was` any more. */
export function raiseFeeStatements(
  db: D1Database,
  id: string,
  { was, fee, feeRate }: { was: bigint; fee: bigint; feeRate: bigint },
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND fee = ? AND state IN ('waiting', 'held', 'sent', 'failed')
         AND ending IS NULL)`,
      ...[id, was.toString()],
    ),
    setFeeStatement(db, id, { fee, feeRate }),
  ]
}

/** The statements that raise the fee of a withdrawal, whatever its state, to what a restore has lost. They fail unless it is `was` still. */
export function restoreFeeStatements(
  db: D1Database,
  id: string,
  { was, fee, feeRate }: { was: bigint; fee: bigint; feeRate: bigint },
): D1PreparedStatement[] {
  return [
    assertionStatement(db, 'EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND fee = ?)', ...[id, was.toString()]),
    setFeeStatement(db, id, { fee, feeRate }),
  ]
}

function setFeeStatement(
  db: D1Database,
  id: string,
  { fee, feeRate }: { fee: bigint; feeRate: bigint },
): D1PreparedStatement {
  return db
    .prepare('UPDATE withdrawals SET fee = ?, fee_rate = ? WHERE id = ?')
    .bind(fee.toString(), feeRate.toString(), id)
}
