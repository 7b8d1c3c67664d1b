/** Runs one statement on the accounts' database and answers its rows. */
export type RunSql = (sql: string) => Promise<unknown[]>

/** The command cannot do what was asked; the message says what to do instead. */
export class AdminError extends Error {
  override name = 'AdminError'
}

/**
 * Makes an admin of the account with this address, which somebody signed up before. An identity check that it waits
 * for is thereby done: the first admin has nobody else to do it. Answers a sentence about the outcome.
 * @throws {AdminError}
 */
export async function makeAdmin(runSql: RunSql, address: string): Promise<string> {
  const email = address.toLowerCase()
  const [row] = await runSql(
    `UPDATE users SET role = 'admin', status = CASE status WHEN 3 THEN 1 ELSE status END
     WHERE email = ${quote(email)} AND status <> 0 RETURNING status`,
  )
  if (typeof row !== 'object' || row === null || !('status' in row)) {
    throw new AdminError(`No open account has the address ${email}. Sign up with it first: POST /v0/user.`)
  }
  await runSql(
    `INSERT INTO audit (at, actor, account, act, subject) SELECT unixepoch() * 1000, 'command', id, 'role.changed', 'role:admin'
     FROM users WHERE email = ${quote(email)}`,
  )
  return row.status === 2
    ? `${email} becomes an admin when the link in the verification mail has been followed.`
    : `${email} is an admin, from the next request on.`
}

// Wrangler takes no bound values, only text. SQLite has one rule for strings: a quote is doubled.
function quote(text: string): string {
  if (text.includes('\0')) throw new AdminError('That is not an email address.')
  return `'${text.replaceAll("'", "''")}'`
}
