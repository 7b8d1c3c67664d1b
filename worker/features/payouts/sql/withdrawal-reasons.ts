import type { Blockchain } from '../../../../protocol/chains.ts'

/**
 * In SQL, whether a withdrawal may wait and is not ending. One that was sent may, too: what it spends is gone, or the node does not
 * accept it any more.
 */
const MAY_WAIT = `state IN ('waiting', 'sent') AND ending IS NULL`

/** The statement that says what a withdrawal, or several, wait for that are not ending, and since when (milliseconds). */
export function noteWaitingStatement(
  db: D1Database,
  ids: string | readonly string[],
  reason: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE withdrawals SET reason = ?1, since = ?2
       WHERE id IN (SELECT value FROM json_each(?3)) AND ${MAY_WAIT} AND reason IS NOT ?1`,
    )
    .bind(reason, now, JSON.stringify([ids].flat()))
}

/** Those with a reason that the node gave or that an operator was told keep it, in SQL. */
const NOT_REFUSED = `NOT EXISTS (SELECT 1 FROM failed_records
  WHERE failed_records.blockchain = withdrawals.blockchain AND kind = 'refused' AND failed_records.id = withdrawals.id)`

/** In SQL, whether a live transaction was signed and never sent, as while payouts are stopped. */
const IS_UNTRIED = `live.state = 'signed' AND live.attempts = 0`

/** The statement that says of all withdrawals that payouts are stopped that these keep back; `now` in milliseconds. */
export function noteStoppedStatement(
  db: D1Database,
  blockchain: Blockchain,
  reason: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE withdrawals SET reason = ?2, since = ?3
       WHERE blockchain = ?1 AND ${MAY_WAIT} AND reason IS NOT ?2 AND ${NOT_REFUSED}
         AND NOT EXISTS (SELECT 1 FROM transactions AS live
           WHERE live.withdrawal_id = withdrawals.id AND live.state != 'dead' AND NOT (${IS_UNTRIED}))`,
    )
    .bind(blockchain, reason, now)
}

const MINED_LATER =
  "It was sent, but the network's fees are far above its fee now. It is mined when they fall, or when you consent to a higher fee."

/**
 * The statements that say of withdrawals that were sent, and wait for nothing else, whether fees are above the most that their
 * transactions may pay (`dear`) or not (`others`); `now` in milliseconds.
 */
export function noteSentStatements(
  db: D1Database,
  { dear, others }: Record<'dear' | 'others', readonly string[]>,
  now: number,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE withdrawals SET reason = ?1, since = ?2
         WHERE id IN (SELECT value FROM json_each(?3)) AND state = 'sent' AND ending IS NULL AND reason IS NULL`,
      )
      .bind(MINED_LATER, now, JSON.stringify(dear)),
    db
      .prepare(
        `UPDATE withdrawals SET reason = NULL, since = NULL
         WHERE id IN (SELECT value FROM json_each(?2)) AND reason = ?1`,
      )
      .bind(MINED_LATER, JSON.stringify(others)),
  ]
}

/**
 * The statement after which withdrawals wait for nothing more that have a transaction, unless the node refuses it, or fees are too
 * high for it to be mined. Those whose transaction was never sent keep their reason while payouts are `stopped`.
 */
export function clearReasonsStatement(db: D1Database, blockchain: Blockchain, stopped: boolean): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE withdrawals SET reason = NULL, since = NULL
       WHERE blockchain = ?1 AND ${MAY_WAIT} AND reason IS NOT NULL AND ${NOT_REFUSED}
         AND EXISTS (SELECT 1 FROM transactions AS live
           WHERE live.withdrawal_id = withdrawals.id AND live.state != 'dead' AND NOT (?2 AND ${IS_UNTRIED})
             AND NOT (reason = ?3 AND live.state = 'sent'))`,
    )
    .bind(blockchain, Number(stopped), MINED_LATER)
}
