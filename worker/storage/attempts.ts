/** Something that counts against an address and a client for a while; `at` in milliseconds. */
export interface Attempt {
  id: string
  kind: 'login' | 'mail'
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
 * Writes the attempt unless a limit is reached within the window that began at `since`: one statement, so that
 * parallel attempts are counted one by one. Answers whether it was written.
 */
export async function addAttempt(db: D1Database, attempt: Attempt, limits: AttemptLimits, since: number) {
  const { meta } = await db
    .prepare(
      `INSERT INTO attempts (id, kind, address, client, at)
       SELECT ?1, ?2, ?3, ?4, ?5
       WHERE (SELECT COUNT(*) FROM attempts WHERE kind = ?2 AND address = ?3 AND client = ?4 AND at > ?6) < ?7
         AND (SELECT COUNT(*) FROM attempts WHERE kind = ?2 AND client = ?4 AND at > ?6) < ?8
         AND (SELECT COUNT(*) FROM attempts WHERE kind = ?2 AND address = ?3 AND at > ?6) < ?9`,
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

/** When the attempt happened whose leaving the window lets the next one in; 0 when nothing stands in its way. */
export async function findBlockingAttempt(db: D1Database, attempt: Attempt, limits: AttemptLimits): Promise<number> {
  const row = await db
    .prepare(
      `SELECT MAX(
         IFNULL((SELECT at FROM attempts WHERE kind = ?1 AND address = ?2 AND client = ?3
                 ORDER BY at DESC LIMIT 1 OFFSET ?4 - 1), 0),
         IFNULL((SELECT at FROM attempts WHERE kind = ?1 AND client = ?3 ORDER BY at DESC LIMIT 1 OFFSET ?5 - 1), 0),
         IFNULL((SELECT at FROM attempts WHERE kind = ?1 AND address = ?2 ORDER BY at DESC LIMIT 1 OFFSET ?6 - 1), 0)
       ) AS at`,
    )
    .bind(attempt.kind, attempt.address, attempt.client, limits.addressAndClient, limits.client, limits.address)
    .first<{ at: number }>()
  return row?.at ?? 0
}

/** Takes an attempt back: it turned out not to be one. */
export async function removeAttempt(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM attempts WHERE id = ?').bind(id).run()
}

/** Deletes what is older than any window. */
export function deleteAttemptsBefore(db: D1Database, time: number): D1PreparedStatement {
  return db.prepare('DELETE FROM attempts WHERE at <= ?').bind(time)
}
