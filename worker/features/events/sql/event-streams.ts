/** A stream's lease; `expiresAt` in milliseconds. */
export interface StreamLease {
  id: string
  userId: string
  /** Of the account, when the stream was opened. */
  tokenEpoch: number
  /** The API key that it was opened with. */
  keyId: string | undefined
  expiresAt: number
}

/** Takes a lease; `false` when the account has `most` streams open. */
export async function insertStreamLease(
  db: D1Database,
  { id, userId, tokenEpoch, keyId, expiresAt }: StreamLease,
  most: number,
  now: number,
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `INSERT INTO event_streams (id, user_id, token_epoch, key_id, expires_at) SELECT ?1, ?2, ?3, ?4, ?5
       WHERE (SELECT COUNT(*) FROM event_streams WHERE user_id = ?2 AND expires_at > ?6) < ?7`,
    )
    .bind(id, userId, tokenEpoch, keyId ?? null, expiresAt, now, most)
    .run()
  return meta.changes > 0
}

/** Stores a lease; `false` when its account was closed, or what it was opened with has ended since. */
export async function renewStreamLease(db: D1Database, id: string, expiresAt: number): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `UPDATE event_streams SET expires_at = ? WHERE id = ?
         AND EXISTS (SELECT 1 FROM users WHERE users.id = event_streams.user_id AND status = 1
           AND (users.token_epoch = event_streams.token_epoch OR key_id IS NOT NULL))
         AND (key_id IS NULL OR EXISTS (SELECT 1 FROM api_keys WHERE api_keys.id = key_id))`,
    )
    .bind(expiresAt, id)
    .run()
  return meta.changes > 0
}

/** Gives a lease back. */
export async function deleteStreamLease(db: D1Database, id: string): Promise<void> {
  await db.prepare('DELETE FROM event_streams WHERE id = ?').bind(id).run()
}

/** Leases deleted in one run. */
const SWEPT = 1_000

/** Deletes the leases of streams that were abandoned. */
export async function sweepStreamLeases(db: D1Database, now: number): Promise<void> {
  await db
    .prepare('DELETE FROM event_streams WHERE id IN (SELECT id FROM event_streams WHERE expires_at <= ? LIMIT ?)')
    .bind(now, SWEPT)
    .run()
}
