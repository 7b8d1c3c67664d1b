/** Runs one statement on the accounts' database and returns its rows. */
export type RunSql = (sql: string) => Promise<unknown[]>

/** The command failed; the message says what to do instead. */
export class AdminError extends Error {
  override name = 'AdminError'
}

/**
 * Makes the account with this address an admin, if the address is verified: before that anybody may have signed up with
 * it. A pending identity check is completed too, because the first admin has nobody else to do it. Returns a sentence
 * about the outcome.
 * @throws {AdminError}
 */
export async function makeAdmin(runSql: RunSql, address: string): Promise<string> {
  const email = address.toLowerCase()
  const [row] = await runSql(
    `UPDATE users SET role = 'admin', status = CASE status WHEN 3 THEN 1 ELSE status END
     WHERE email = ${quote(email)} AND status IN (1, 3) RETURNING id`,
  )
  if (row === undefined) {
    const [pending] = await runSql(`SELECT id FROM users WHERE email = ${quote(email)} AND status = 2`)
    throw new AdminError(
      pending === undefined
        ? `No open account has the address ${email}. Sign up with it first: POST /v0/user.`
        : `The address ${email} is not confirmed yet. Follow the link in the verification mail first.`,
    )
  }
  await runSql(
    `INSERT INTO audit (at, actor, account, act, subject) SELECT unixepoch() * 1000, 'command', id, 'role.changed', 'role:admin'
     FROM users WHERE email = ${quote(email)}`,
  )
  return `${email} is an admin now.`
}

// Wrangler accepts only text, no bound values. In SQLite strings a quote is doubled.
function quote(text: string): string {
  if (text.includes('\0')) throw new AdminError('This is not an email address.')
  return `'${text.replaceAll("'", "''")}'`
}
