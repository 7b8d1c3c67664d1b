import { firstRow } from '../../../platform/d1/first-row.ts'
import { assertionStatement, batchIf } from '../../../platform/d1/guarded-batch.ts'
import { type Row, readTexts, rowReader } from '../../../platform/d1/row-reader.ts'
import { insertAuditStatement } from '../../../platform/records/audit-log.ts'
import { assertEpochStatement } from '../../auth/sql/credentials.ts'
import { insertNoticeMailStatement } from '../../auth/sql/notice-mails.ts'
import { insertWebhookAuditStatement } from './end-webhooks.ts'

/** An address that is notified of events; times in milliseconds. */
export interface Webhook {
  id: string
  userId: string
  url: string
  types: string[]
  createdAt: number
  /** Since when no message was accepted. */
  failingSince: number | undefined
  problem: string | undefined
  /** When it was turned off. */
  offAt: number | undefined
  /** When a reset of the password paused it. */
  pausedAt: number | undefined
  madeBy: 'login' | 'key'
  /** The API key that made it, with which it ends. */
  keyId: string | undefined
  /** When that key ends by itself. */
  endsAt: number | undefined
}

const toWebhook = rowReader<Webhook>({ types: readTexts })

/** What holds of a webhook whose key has not ended, as SQL; `?` is the time. */
const LIVE = 'IFNULL(ends_at > ?, TRUE)'

/**
 * Adds a webhook, with its secret as `sealSecret` leaves it, and writes that to the audit log and to its owner. False
 * when its account has `most`, or when the key that made it, or the tokens of `epoch`, ended meanwhile.
 */
export async function insertWebhook(
  db: D1Database,
  webhook: Omit<Webhook, 'failingSince' | 'problem' | 'offAt' | 'pausedAt'> & { secret: string },
  { most, epoch }: { most: number; epoch: number },
): Promise<boolean> {
  const { id, userId, url, secret, types, createdAt, madeBy, keyId, endsAt } = webhook
  const reason = keyId === undefined ? undefined : `with the key ${keyId}`
  return await batchIf(db, [
    assertionStatement(
      db,
      `(SELECT COUNT(*) FROM webhooks WHERE user_id = ? AND ${LIVE}) < ?`,
      ...[userId, createdAt, most],
    ),
    keyId === undefined
      ? assertEpochStatement(db, userId, epoch)
      : assertionStatement(db, 'EXISTS (SELECT 1 FROM api_keys WHERE id = ?)', keyId),
    db
      .prepare(
        `INSERT INTO webhooks (id, user_id, url, secret, types, created_at, made_by, key_id, ends_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .bind(id, userId, url, secret, JSON.stringify(types), createdAt, madeBy, keyId ?? null, endsAt ?? null),
    insertAuditStatement(db, {
      ...{ at: createdAt, actor: userId, account: userId, act: 'webhook.added', subject: `webhook:${id}`, reason },
    }),
    insertNoticeMailStatement(db, 'webhook', { userId, about: new URL(url).host }, createdAt),
  ])
}

const COLUMNS = `id, user_id, url, types, created_at, failing_since, problem, off_at, paused_at, made_by, key_id, ends_at`

/** The webhooks of a user, oldest first; `now` in milliseconds. */
export async function selectWebhooks(db: D1Database, userId: string, now: number): Promise<Webhook[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM webhooks WHERE user_id = ? AND ${LIVE} ORDER BY created_at, id`)
    .bind(userId, now)
    .all<Row<Webhook>>()
  return results.map(toWebhook)
}

/** Where a webhook of this user is, its stored secret, and whether it is sent anything. */
export async function selectReceiver(
  db: D1Database,
  userId: string,
  id: string,
  now: number,
): Promise<{ url: string; secret: string; told: boolean } | undefined> {
  const row = await db
    .prepare(
      `SELECT url, secret, off_at IS NULL AND paused_at IS NULL AS told FROM webhooks
       WHERE id = ? AND user_id = ? AND ${LIVE}`,
    )
    .bind(id, userId, now)
    .first<{ url: string; secret: string; told: number }>()
  return row ? { ...row, told: row.told === 1 } : undefined
}

/** Resumes a webhook of this user, if it is paused: from then on it ends with no key. False when there is none. */
export async function resumeWebhook(db: D1Database, userId: string, id: string, now: number): Promise<boolean> {
  const paused = `id = ? AND user_id = ? AND ${LIVE} AND paused_at IS NOT NULL`
  const [, , found] = await db.batch<{ n: number }>([
    insertWebhookAuditStatement(db, { at: now, act: 'webhook.resumed' }, paused, id, userId, now),
    db
      .prepare(
        `UPDATE webhooks SET paused_at = NULL, failing_since = NULL, problem = NULL, made_by = 'login', key_id = NULL,
           ends_at = NULL WHERE ${paused}`,
      )
      .bind(id, userId, now),
    db.prepare(`SELECT COUNT(*) AS n FROM webhooks WHERE id = ? AND user_id = ? AND ${LIVE}`).bind(id, userId, now),
  ])
  return found?.results[0]?.n === 1
}

/** Webhooks deleted in one run because their key has ended. */
const ENDED_PER_RUN = 20

/** Deletes webhooks whose key has ended, some at a time; `now` in milliseconds. */
export async function deleteEndedWebhooks(db: D1Database, now: number): Promise<void> {
  const ended = 'id IN (SELECT id FROM webhooks WHERE ends_at <= ? ORDER BY ends_at LIMIT ?)'
  const entry = { at: now, act: 'webhook.deleted', reason: 'its key has ended' } as const
  await db.batch([
    insertWebhookAuditStatement(db, entry, ended, now, ENDED_PER_RUN),
    db.prepare(`DELETE FROM webhooks WHERE ${ended}`).bind(now, ENDED_PER_RUN),
  ])
}

/** The stored secrets of the webhooks behind `after` (an id), in the order of ids. */
export async function selectSecrets(
  db: D1Database,
  after: string,
  limit: number,
): Promise<{ id: string; secret: string }[]> {
  const { results } = await db
    .prepare('SELECT id, secret FROM webhooks WHERE id > ? ORDER BY id LIMIT ?')
    .bind(after, limit)
    .all<{ id: string; secret: string }>()
  return results
}

/** Exchanges one stored form of a secret for another of the same secret, each where it is still the former. */
export async function updateSecrets(
  db: D1Database,
  changes: readonly { id: string; from: string; to: string }[],
): Promise<void> {
  if (changes.length === 0) return
  await db
    .prepare(
      `UPDATE webhooks SET secret = change.value ->> 'to' FROM json_each(?) AS change
       WHERE webhooks.id = change.value ->> 'id' AND secret = change.value ->> 'from'`,
    )
    .bind(JSON.stringify(changes))
    .run()
}

/** Deletes a webhook of this user with its pending deliveries; false when there is none. `now` in milliseconds. */
export async function deleteWebhook(db: D1Database, userId: string, id: string, now: number): Promise<boolean> {
  const [, , deleted] = await db.batch([
    insertWebhookAuditStatement(db, { at: now, act: 'webhook.deleted' }, 'id = ? AND user_id = ?', id, userId),
    db
      .prepare(
        `DELETE FROM webhook_deliveries
         WHERE webhook_id = ?1 AND EXISTS (SELECT 1 FROM webhooks WHERE id = ?1 AND user_id = ?2)`,
      )
      .bind(id, userId),
    db.prepare('DELETE FROM webhooks WHERE id = ? AND user_id = ?').bind(id, userId),
  ])
  return deleted?.meta.changes === 1
}

/** Whether there is any webhook at all. */
export async function hasWebhooks(db: D1Database): Promise<boolean> {
  const { n } = await firstRow<{ n: number }>(db.prepare('SELECT EXISTS (SELECT 1 FROM webhooks) AS n'))
  return n === 1
}
