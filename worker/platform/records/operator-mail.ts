/** The statement that queues a mail to `OPERATOR_MAIL`, where the statement before it in the batch changed a row. `now` in milliseconds. */
export function insertOperatorMailStatement(
  db: D1Database,
  { recipient, about, now }: { recipient: string; about: string; now: number },
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO mails (id, recipient, template, about, created_at, next_attempt_at)
       SELECT ?1, ?2, 'alert', ?3, ?4, ?4 WHERE changes() > 0`,
    )
    .bind(crypto.randomUUID(), recipient, about, now)
}
