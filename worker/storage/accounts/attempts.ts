/**
 * Something that counts against an address and a client for a while; `at` in milliseconds. A login is `pending` until
 * its password was found wrong.
 */
export interface Attempt {
  id: string
  kind: 'pending' | 'login' | 'mail'
  /** SHA-256 of the email address, hex. */
  address: string
  client: string
  at: number
}

/** How many attempts may stand within the window before the next one is refused. */
export interface AttemptLimits {
  /** Of one address from one client. */
  addressAndClient: number
  client: number
  address: number
}

/**
 * Writes the attempt unless a limit is reached within the window that began at `since`, those that are pending
 * included: one statement, so that parallel attempts are counted one by one. Answers whether it was written.
 */
export async function insertAttempt(db: D1Database, attempt: Attempt, limits: AttemptLimits, since: number) {
  const counted = `kind IN (?2, CASE ?2 WHEN 'pending' THEN 'login' ELSE ?2 END) AND at > ?6`
  const { meta } = await db
    .prepare(
      `INSERT INTO attempts (id, kind, address, client, at)
       SELECT ?1, ?2, ?3, ?4, ?5
       WHERE (SELECT COUNT(*) FROM attempts WHERE ${counted} AND address = ?3 AND client = ?4) < ?7
         AND (SELECT COUNT(*) FROM attempts WHERE ${counted} AND client = ?4) < ?8
         AND (SELECT COUNT(*) FROM attempts WHERE ${counted} AND address = ?3) < ?9`,
    )
    .bind(
      attempt.id,
      attempt.kind,
      attempt.address,
      attempt.client,
      attempt.at,
      since,
      limits.addressAndClient,
      limits.client,
      limits.address,
    )
    .run()
  return meta.changes === 1
}

/**
 * When the attempt happened whose leaving the window, begun at `since`, lets the next one in. Nothing when only
 * pending ones stand in its way; one that is pending since before `stale` was interrupted, and counts as failed.
 */
export async function selectBlockingAttempt(
  db: D1Database,
  attempt: Attempt,
  limits: AttemptLimits,
  window: { since: number; stale: number },
): Promise<number | undefined> {
  const counted = `kind IN (?1, CASE ?1 WHEN 'pending' THEN 'login' ELSE ?1 END) AND at > ?4
    AND (kind <> 'pending' OR at < ?5)`
  const last = (which: string, limit: string) =>
    `IFNULL((SELECT at FROM attempts WHERE ${counted} AND ${which} ORDER BY at DESC LIMIT 1 OFFSET ${limit} - 1), 0)`
  const row = await db
    .prepare(
      `SELECT MAX(
         ${last('address = ?2 AND client = ?3', '?6')},
         ${last('client = ?3', '?7')},
         ${last('address = ?2', '?8')}
       ) AS at`,
    )
    .bind(
      attempt.kind,
      attempt.address,
      attempt.client,
      window.since,
      window.stale,
      limits.addressAndClient,
      limits.client,
      limits.address,
    )
    .first<{ at: number }>()
  return row?.at || undefined
}

/** A pending login turned out to have the wrong password. */
export async function updateAttempt(db: D1Database, id: string): Promise<void> {
  await db.prepare("UPDATE attempts SET kind = 'login' WHERE id = ?").bind(id).run()
}

/** Takes an attempt back: it turned out not to be one. */
export async function deleteAttempt(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM attempts WHERE id = ?').bind(id).run()
}

/** Deletes what is older than any window. */
export function deleteAttemptsBeforeStatement(db: D1Database, time: number): D1PreparedStatement {
  return db.prepare('DELETE FROM attempts WHERE at <= ?').bind(time)
}
