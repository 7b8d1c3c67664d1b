/**
 * Something that counts against an address and a client for a while; `at` in milliseconds. A login is `pending` until its
 * password was found wrong. A sign-up sends a `mail`, others a `link`, which count mails too; a `reset` is one above the
 * daily count. What an account does with domains, a list of its uploads, or a test of a webhook counts against its id in place
 * of an address, calls of Cloudflare's API, and lookups of what is reported, against all
 * together.
 */
export interface Attempt {
  id: string
  kind: 'pending' | 'login' | 'mail' | 'link' | 'reset' | 'domain' | 'uploads' | 'webhook' | 'lookup' | 'hostname'
  /**
   * SHA-256 of the email address, for a mail of its mailbox, for a known device of its name, hex; for what accounts do the
   * id of the account.
   */
  address: string
  client: string
  at: number
}

/** How many attempts of one address, of one client, of one from the other, or of a network may be made within so many milliseconds. */
export interface AttemptLimit {
  by: readonly ('address' | 'client' | 'net56' | 'net48')[]
  most: number
  within: number
}

const SAME = {
  address: 'address = ?3',
  client: 'client = ?4',
  // All /64 are written at the same length: see `clientAddress`.
  net56: inPrefix(17),
  net48: inPrefix(14),
}

function inPrefix(length: number): string {
  return `client BETWEEN substr(?4, 1, ${length}) AND substr(?4, 1, ${length}) || '~'`
}

/** The attempts that a limit counts, those that are pending included. */
function countedBy({ by, within }: AttemptLimit): string {
  const same = by.map((name) => SAME[name])
  return `kind IN (?2, CASE ?2 WHEN 'pending' THEN 'login' WHEN 'link' THEN 'mail' ELSE ?2 END) AND at > ?5 - ${within} AND ${same.join(' AND ')}`
}

/**
 * Writes the attempt unless one of the limits is reached: one statement, so that parallel attempts are counted one by
 * one. Answers whether it was written, and how many each limit counts now.
 */
export async function insertAttempt(
  db: D1Database,
  attempt: Attempt,
  limits: readonly AttemptLimit[],
): Promise<{ written: boolean; counts: number[] }> {
  const counts = limits.map((limit) => `(SELECT COUNT(*) FROM attempts WHERE ${countedBy(limit)})`)
  const below = limits.map(({ most }, index) => `${counts[index]} < ${most}`)
  const [inserted, counted] = await db.batch<{ counts: string }>([
    db
      .prepare(
        `INSERT INTO attempts (id, kind, address, client, at)
         SELECT ?1, ?2, ?3, ?4, ?5 WHERE ${below.join(' AND ')}`,
      )
      .bind(attempt.id, attempt.kind, attempt.address, attempt.client, attempt.at),
    db
      .prepare(`SELECT json_array(${counts.join(', ')}) AS counts`)
      .bind(attempt.id, attempt.kind, attempt.address, attempt.client, attempt.at),
  ])
  const found: unknown = JSON.parse(counted?.results[0]?.counts ?? '[]')
  return { written: inserted?.meta.changes === 1, counts: Array.isArray(found) ? found.map(Number) : [] }
}

/**
 * When so many attempts have left their windows that the next one is let in, in milliseconds. Nothing when only pending
 * ones prevent it; one that is pending since before `stale` was interrupted, and counts as failed.
 */
export async function selectFreeAgain(
  db: D1Database,
  attempt: Attempt,
  limits: readonly AttemptLimit[],
  stale: number,
): Promise<number | undefined> {
  const times = limits.map(
    (limit) => `IFNULL((SELECT at + ${limit.within} FROM attempts
      WHERE ${countedBy(limit)} AND (kind <> 'pending' OR at < ?1) ORDER BY at DESC LIMIT 1 OFFSET ${limit.most - 1}), 0)`,
  )
  const row = await db
    .prepare(`SELECT MAX(0, ${times.join(', ')}) AS at`)
    .bind(stale, attempt.kind, attempt.address, attempt.client, attempt.at)
    .first<{ at: number }>()
  return row?.at || undefined
}

/** A pending login turned out to have the wrong password. */
export async function updateAttempt(db: D1Database, id: string): Promise<void> {
  await db.prepare("UPDATE attempts SET kind = 'login' WHERE id = ?").bind(id).run()
}

/** Deletes an attempt that does not count. */
export async function deleteAttempt(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM attempts WHERE id = ?').bind(id).run()
}

/** Deletes what is older than the window of its kind; both as times in milliseconds. */
export function deleteAttemptsBeforeStatement(
  db: D1Database,
  before: { logins: number; mails: number },
): D1PreparedStatement {
  return db
    .prepare("DELETE FROM attempts WHERE (kind NOT IN ('mail', 'link', 'reset') AND at <= ?) OR at <= ?")
    .bind(before.logins, before.mails)
}

/** Deletes the oldest attempts beyond the newest `most`, of any kind. */
export function deleteAttemptsBeyondStatement(db: D1Database, most: number): D1PreparedStatement {
  return db
    .prepare('DELETE FROM attempts WHERE at <= (SELECT at FROM attempts ORDER BY at DESC LIMIT 1 OFFSET ?)')
    .bind(most)
}
