import { hasChanged } from '../../../platform/d1/has-changed.ts'
import { inState } from './item-state.ts'

/** How long a lease is valid without renewal: a writer that died blocks others for so long; in milliseconds. */
export const LEASE_TIME = 10_000

const IS_UPLOADING = `EXISTS (SELECT 1 FROM items WHERE id = ?1 AND ${inState('uploading')} AND removed_at IS NULL)`

/**
 * Makes `holder` the one writer of an upload. False while there is another: that one learns that somebody waits.
 */
export async function acquireUploadLease(
  db: D1Database,
  itemId: string,
  holder: string,
  now: number,
): Promise<boolean> {
  const [taken] = await db.batch([
    db
      .prepare(
        `INSERT INTO upload_leases (item_id, holder, expires_at) SELECT ?1, ?2, ?3 WHERE ${IS_UPLOADING}
         ON CONFLICT (item_id) DO UPDATE SET holder = ?2, expires_at = ?3, wanted = 0 WHERE expires_at <= ?4`,
      )
      .bind(itemId, holder, now + LEASE_TIME, now),
    db.prepare('UPDATE upload_leases SET wanted = 1 WHERE item_id = ? AND holder <> ?').bind(itemId, holder),
  ])
  return hasChanged(taken)
}

/**
 * Holds the lease for longer. False when it is lost, the upload is closed, or, for a writer that is `idle`, when
 * somebody else waits to write.
 */
export async function renewUploadLease(
  db: D1Database,
  lease: { itemId: string; holder: string; idle: boolean },
  now: number,
): Promise<boolean> {
  const renewed = await db
    .prepare(
      `UPDATE upload_leases SET expires_at = ?3, wanted = 0
       WHERE item_id = ?1 AND holder = ?2 AND (wanted = 0 OR ?4 = 0) AND ${IS_UPLOADING}`,
    )
    .bind(lease.itemId, lease.holder, now + LEASE_TIME, Number(lease.idle))
    .run()
  return hasChanged(renewed)
}

/** Whether a request writes this upload at the moment; it learns that somebody waits. */
export async function requestUploadLease(db: D1Database, itemId: string, now: number): Promise<boolean> {
  const statement = db.prepare('UPDATE upload_leases SET wanted = 1 WHERE item_id = ? AND expires_at > ?')
  return hasChanged(await statement.bind(itemId, now).run())
}

/** Lets others write. */
export async function releaseUploadLease(db: D1Database, itemId: string, holder: string): Promise<void> {
  await db.prepare('DELETE FROM upload_leases WHERE item_id = ? AND holder = ?').bind(itemId, holder).run()
}
