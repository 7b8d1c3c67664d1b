import { type AuditEntry, insertSelectedAuditStatement } from '../../../platform/records/audit-log.ts'
import { isClosed } from '../../auth/sql/users.ts'

/**
 * The statement that adds an entry to the audit log, by its owner, for each webhook that meets `condition` (SQL). In the batch it
 * goes before the act, which has the same condition.
 */
export function insertWebhookAuditStatement(
  db: D1Database,
  entry: Pick<AuditEntry, 'at' | 'act' | 'reason'>,
  condition: string,
  ...values: (string | number)[]
): D1PreparedStatement {
  const rows = `SELECT user_id AS actor, user_id AS account, 'webhook:' || id AS subject FROM webhooks WHERE ${condition}`
  return insertSelectedAuditStatement(db, entry, rows, ...values)
}

/** The statements that end the webhooks that a key of this user made: before the one that deletes the key. */
export function endWebhooksOfKeyStatements(
  db: D1Database,
  { id, userId }: { id: string; userId: string },
  now: number,
): D1PreparedStatement[] {
  const ofKey = 'key_id = ? AND EXISTS (SELECT 1 FROM api_keys WHERE id = key_id AND user_id = ?)'
  const entry = { at: now, act: 'webhook.deleted', reason: 'its key was revoked' } as const
  return [
    insertWebhookAuditStatement(db, entry, ofKey, id, userId),
    db.prepare(`DELETE FROM webhooks WHERE ${ofKey}`).bind(id, userId),
  ]
}

/**
 * The statements that pause every webhook of a user where `condition` (SQL, of `values`) holds; what was still to be
 * sent to them never is.
 */
export function pauseWebhooksStatements(
  db: D1Database,
  userId: string,
  now: number,
  condition: string,
  ...values: (string | number)[]
): D1PreparedStatement[] {
  const running = `user_id = ? AND paused_at IS NULL AND ${condition}`
  const entry = { at: now, act: 'webhook.paused', reason: 'the password was reset' } as const
  return [
    insertWebhookAuditStatement(db, entry, running, userId, ...values),
    db
      .prepare(`DELETE FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE ${running})`)
      .bind(userId, ...values),
    db.prepare(`UPDATE webhooks SET paused_at = ? WHERE ${running}`).bind(now, userId, ...values),
  ]
}

/** The statement that deletes the webhooks of a user whose account is closed by now. */
export function deleteWebhooksOfClosedStatement(db: D1Database, userId: string): D1PreparedStatement {
  return db.prepare(`DELETE FROM webhooks WHERE user_id = ?1 AND ${isClosed('?1')}`).bind(userId)
}
