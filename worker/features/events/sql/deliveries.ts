import { WEBHOOK_TYPES } from '../../../../contract/event-types.ts'
import { assertionStatement, batchIf } from '../../../platform/d1/guarded-batch.ts'

/** A message to a webhook that is due; `at` and `nextAttemptAt` in milliseconds. */
export interface Delivery {
  webhookId: string
  url: string
  secret: string
  seq: number
  type: string
  data: string
  at: number
  /** How often it was sent before. */
  attempts: number
  nextAttemptAt: number
}

/** Events read in one run. */
const EVENTS_PER_RUN = 2_000

/**
 * Makes a delivery of each event since the last run for each webhook of its account that is notified of such; `true` when
 * there may be more. Two runs at once make each once.
 */
export async function makeDeliveries(db: D1Database, now: number): Promise<boolean> {
  const [position, upTo] = await db.batch<{ seq: number | null }>([
    db.prepare('SELECT seq FROM webhook_position'),
    db
      .prepare(
        `SELECT MAX(seq) AS seq FROM (
           SELECT seq FROM events WHERE seq > (SELECT seq FROM webhook_position) ORDER BY seq LIMIT ?)`,
      )
      .bind(EVENTS_PER_RUN),
  ])
  const from = position?.results[0]?.seq ?? undefined
  const to = upTo?.results[0]?.seq ?? undefined
  if (from === undefined || to === undefined) return false
  const types = JSON.stringify(WEBHOOK_TYPES)
  await batchIf(db, [
    assertionStatement(db, 'EXISTS (SELECT 1 FROM webhook_position WHERE seq = ?)', from),
    db
      .prepare(
        `INSERT INTO webhook_deliveries (webhook_id, event_seq, next_attempt_at)
         SELECT webhooks.id, events.seq, ?1 FROM events JOIN webhooks ON webhooks.user_id = events.user_id
         WHERE events.seq > ?2 AND events.seq <= ?3 AND events.type IN (SELECT value FROM json_each(?4))
           AND off_at IS NULL AND paused_at IS NULL AND IFNULL(ends_at > ?1, TRUE) AND webhooks.created_at <= events.at
           AND EXISTS (SELECT 1 FROM json_each(webhooks.types) AS wanted WHERE wanted.value = events.type)`,
      )
      .bind(now, from, to, types),
    db.prepare('UPDATE webhook_position SET seq = ?').bind(to),
  ])
  return to - from >= EVENTS_PER_RUN
}

/** Times at which deliveries became due, and webhooks with such, that are checked. */
const LOOKED_AT = 1_000

/**
 * What is due, of each webhook the oldest `perWebhook`, at most `limit` together. However many wait for one webhook, no
 * more than that is read of those that became due at the same time, so that they never hide what is due for others.
 */
export async function selectDue(
  db: D1Database,
  now: number,
  { perWebhook, limit }: { perWebhook: number; limit: number },
): Promise<Delivery[]> {
  const { results } = await db
    .prepare(
      `WITH RECURSIVE times (due) AS (
         SELECT MIN(next_attempt_at) FROM webhook_deliveries WHERE next_attempt_at <= ?1
         UNION ALL SELECT (
           SELECT MIN(next_attempt_at) FROM webhook_deliveries WHERE next_attempt_at > due AND next_attempt_at <= ?1)
         FROM times WHERE due IS NOT NULL LIMIT ${LOOKED_AT}),
       told (due, hook) AS (
         SELECT due, (SELECT MIN(webhook_id) FROM webhook_deliveries WHERE next_attempt_at = due) FROM times
         UNION ALL SELECT due, (
           SELECT MIN(webhook_id) FROM webhook_deliveries WHERE next_attempt_at = due AND webhook_id > hook)
         FROM told WHERE hook IS NOT NULL LIMIT ${LOOKED_AT})
       SELECT webhook_id AS webhookId, url, secret, seq, type, data, at, attempts, next_attempt_at AS nextAttemptAt FROM (
         SELECT waiting.*, ROW_NUMBER() OVER (PARTITION BY webhook_id ORDER BY event_seq) AS place
         FROM told CROSS JOIN webhook_deliveries AS waiting ON webhook_id = hook AND event_seq IN (
           SELECT event_seq FROM webhook_deliveries WHERE next_attempt_at = due AND webhook_id = hook
           ORDER BY event_seq LIMIT ?2))
       JOIN webhooks ON webhooks.id = webhook_id JOIN events ON events.seq = event_seq
       WHERE place <= ?2 AND off_at IS NULL AND IFNULL(ends_at > ?1, TRUE) ORDER BY place, seq LIMIT ?3`,
    )
    .bind(now, perWebhook, limit)
    .all<Delivery>()
  return results
}

/** Takes a delivery on, for `until` at most; `false` when another run has done so. It counts as an attempt. */
export async function claimDelivery(db: D1Database, delivery: Delivery, until: number): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt_at = ?
       WHERE webhook_id = ? AND event_seq = ? AND next_attempt_at = ?`,
    )
    .bind(until, delivery.webhookId, delivery.seq, delivery.nextAttemptAt)
    .run()
  return meta.changes > 0
}

/** Records that a webhook has accepted a message. */
export async function recordDelivered(db: D1Database, { webhookId, seq }: Delivery): Promise<void> {
  await db.batch([
    db.prepare('DELETE FROM webhook_deliveries WHERE webhook_id = ? AND event_seq = ?').bind(webhookId, seq),
    db
      .prepare('UPDATE webhooks SET failing_since = NULL, problem = NULL WHERE id = ? AND failing_since IS NOT NULL')
      .bind(webhookId),
  ])
}

/**
 * Records that a delivery failed: it is retried at `retryAt`, and nothing else is sent to this webhook before;
 * without a time it is abandoned. The webhook is turned off when it has accepted nothing since `offBefore`, or at once.
 */
export async function recordFailedDelivery(
  db: D1Database,
  { webhookId, seq }: Delivery,
  outcome: { problem: string; retryAt: number | undefined; offBefore: number; offAtOnce: boolean },
  now: number,
): Promise<void> {
  const { problem, retryAt, offBefore, offAtOnce } = outcome
  await db.batch([
    retryAt === undefined
      ? db.prepare('DELETE FROM webhook_deliveries WHERE webhook_id = ? AND event_seq = ?').bind(webhookId, seq)
      : db
          .prepare(
            `UPDATE webhook_deliveries SET next_attempt_at = IIF(event_seq = ?1, ?2, MAX(next_attempt_at, ?2))
             WHERE webhook_id = ?3`,
          )
          .bind(seq, retryAt, webhookId),
    db
      .prepare(
        `UPDATE webhooks SET failing_since = IFNULL(failing_since, ?1), problem = ?2,
           off_at = IIF(?3 OR IFNULL(failing_since, ?1) <= ?4 OR (
             SELECT COUNT(*) FROM webhook_deliveries WHERE webhook_id = ?5) > ${MAX_WAITING}, IFNULL(off_at, ?1), off_at)
         WHERE id = ?5`,
      )
      .bind(now, problem, Number(offAtOnce), offBefore, webhookId),
    db
      .prepare(
        `DELETE FROM webhook_deliveries
         WHERE webhook_id = ?1 AND EXISTS (SELECT 1 FROM webhooks WHERE id = ?1 AND off_at IS NOT NULL)`,
      )
      .bind(webhookId),
  ])
}

/** A webhook that fails while more messages than this wait for it is turned off. */
const MAX_WAITING = 10_000

/** Deliveries deleted in one run. */
const SWEPT = 1_000

/** Deletes deliveries whose event is not stored any more, some at a time. */
export async function sweepDeliveries(db: D1Database): Promise<void> {
  await db
    .prepare(
      `DELETE FROM webhook_deliveries WHERE (webhook_id, event_seq) IN (
         SELECT webhook_id, event_seq FROM (SELECT * FROM webhook_deliveries ORDER BY next_attempt_at LIMIT ?)
         WHERE NOT EXISTS (SELECT 1 FROM events WHERE seq = event_seq))`,
    )
    .bind(SWEPT)
    .run()
}
