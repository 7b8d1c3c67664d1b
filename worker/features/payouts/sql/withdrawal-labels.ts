import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'

/** What the owner of a withdrawal is told of which the wallet has a label that the database does not explain. */
export const PERHAPS_PAID =
  'It may have been paid or ended before: the service was restored from a backup. The operator looks that up before it is sent.'

/** The statement that notes that the wallet gets a label of a withdrawal, for which something is signed. */
export function notePayoutLabelStatement(db: D1Database, id: string): D1PreparedStatement {
  return db.prepare('UPDATE withdrawals SET payout_labelled = 1 WHERE id = ?').bind(id)
}

/**
 * Notes that a request ends a withdrawal from `now` on, unless another does that has begun after `outdated` (milliseconds). Returns how
 * many labels of its ends are explained, `undefined` where another does.
 */
export async function claimEnd(
  db: D1Database,
  id: string,
  { now, outdated }: { now: number; outdated: number },
): Promise<number | undefined> {
  const row = await db
    .prepare(
      `UPDATE withdrawals SET end_begun = ?2 WHERE id = ?1 AND (end_begun IS NULL OR end_begun <= ?3)
       RETURNING end_labels AS labels`,
    )
    .bind(id, now, outdated)
    .first<{ labels: number }>()
  return row?.labels
}

/** The statement that explains the label of the end that was begun at `begun`: it has failed. */
export function explainEndStatement(db: D1Database, id: string, begun: number): D1PreparedStatement {
  return db
    .prepare('UPDATE withdrawals SET end_labels = end_labels + 1, end_begun = NULL WHERE id = ? AND end_begun = ?')
    .bind(id, begun)
}

/** The statement after which a withdrawal is not being ended any more: it has ended, or its coin is being brought back. */
export function finishEndStatement(db: D1Database, id: string): D1PreparedStatement {
  return db.prepare('UPDATE withdrawals SET end_begun = NULL WHERE id = ?').bind(id)
}

/**
 * The statements that hold a withdrawal until an operator has looked up what became of it, of whose ends the wallet has `ends` labels.
 * They fail their batch where it is over, or tied to a coin.
 */
export function holdUnexplainedStatements(
  db: D1Database,
  id: string,
  ends: number,
  now: number,
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      `EXISTS (SELECT 1 FROM withdrawals WHERE id = ? AND state IN ('waiting', 'held', 'failed') AND coin_txid IS NULL
         AND ending IS NULL)`,
      id,
    ),
    // What the operator decides explains these labels, and none that comes later.
    db
      .prepare(
        `UPDATE withdrawals SET state = 'held', approved = 0, reason = ?, since = ?, payout_labelled = 1,
           end_labels = MAX(end_labels, ?) WHERE id = ?`,
      )
      .bind(PERHAPS_PAID, now, ends, id),
  ]
}
