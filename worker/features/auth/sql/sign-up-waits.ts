/**
 * The statements that record that the page of a sign-up waits for the verification of its address. They replace an earlier
 * record of the same account, do nothing unless the account is pending, and follow the statement that writes the account. Times
 * in milliseconds.
 */
export function insertWaitStatements(
  db: D1Database,
  { wait, email, expiresAt }: { wait: string; email: string; expiresAt: number },
): D1PreparedStatement[] {
  return [
    db
      .prepare('DELETE FROM sign_up_waits WHERE user_id = (SELECT id FROM users WHERE email = ? AND status = 2)')
      .bind(email),
    db
      .prepare(
        `INSERT INTO sign_up_waits (wait, user_id, token_epoch, expires_at)
         SELECT ?, id, token_epoch, ? FROM users WHERE email = ? AND status = 2`,
      )
      .bind(wait, expiresAt, email),
  ]
}

/** Whether the address of this sign-up was verified; `true` once only. */
export async function consumeSignUpWait(db: D1Database, wait: string, now: number): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `DELETE FROM sign_up_waits WHERE wait = ?1 AND expires_at > ?2 AND EXISTS (
         SELECT 1 FROM users WHERE id = sign_up_waits.user_id AND status IN (1, 3)
           AND users.token_epoch = sign_up_waits.token_epoch)`,
    )
    .bind(wait, now)
    .run()
  return meta.changes > 0
}
