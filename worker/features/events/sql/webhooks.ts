import { firstRow } from '../../../platform/d1/first-row.ts'
import { type Row, readTexts, rowReader } from '../../../platform/d1/row-reader.ts'

/** An address that is told of events; times in milliseconds. */
export interface Webhook {
  id: string
  userId: string
  url: string
  types: string[]
  createdAt: number
  /** Since when no message was taken. */
  failingSince: number | undefined
  problem: string | undefined
  /** When it was turned off. */
  offAt: number | undefined
}

const toWebhook = rowReader<Webhook>({ types: readTexts })

/** Adds a webhook, with its secret as `sealSecret` leaves it; `false` when its account has `most`. */
export async function insertWebhook(
  db: D1Database,
  webhook: Pick<Webhook, 'id' | 'userId' | 'url' | 'types' | 'createdAt'> & { secret: string },
  most: number,
): Promise<boolean> {
  const { id, userId, url, secret, types, createdAt } = webhook
  const { meta } = await db
    .prepare(
      `INSERT INTO webhooks (id, user_id, url, secret, types, created_at) SELECT ?1, ?2, ?3, ?4, ?5, ?6
       WHERE (SELECT COUNT(*) FROM webhooks WHERE user_id = ?2) < ?7`,
    )
    .bind(id, userId, url, secret, JSON.stringify(types), createdAt, most)
    .run()
  return meta.changes > 0
}

/** The webhooks of a user, oldest first. */
export async function selectWebhooks(db: D1Database, userId: string): Promise<Webhook[]> {
  const { results } = await db
    .prepare(
      `SELECT id, user_id, url, types, created_at, failing_since, problem, off_at FROM webhooks
       WHERE user_id = ? ORDER BY created_at, id`,
    )
    .bind(userId)
    .all<Row<Webhook>>()
  return results.map(toWebhook)
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

/** Deletes a webhook of this user with what it was still to be told; false when there is none. */
export async function deleteWebhook(db: D1Database, userId: string, id: string): Promise<boolean> {
  const [, deleted] = await db.batch([
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
