import type { EventType } from '../../../contract/event-types.ts'
import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { firstRow } from '../d1/first-row.ts'
import { inParts } from '../d1/in-parts.ts'

/** How long an event is stored, in milliseconds. */
export const EVENT_RETENTION_MS = LIFETIMES.events * 1000

/** Something that happened; `data` is the JSON text of an object, `at` in milliseconds. */
export interface NewEvent {
  userId: string
  type: EventType
  /** What it happened to: the id of an item or a withdrawal, or an address. */
  subject: string
  data: string
  at: number
}

/** An event as it is in the queue, which `seq` orders. */
export interface QueuedEvent extends NewEvent {
  seq: number
}

/** The statement that queues an event: in the batch of what it tells of, so that it is there exactly when that is. */
export function insertEventStatement(db: D1Database, event: NewEvent): D1PreparedStatement {
  return db
    .prepare('INSERT INTO events (user_id, type, subject, data, at) VALUES (?, ?, ?, ?, ?)')
    .bind(event.userId, event.type, event.subject, event.data, event.at)
}

/** The statements that queue any number of events. */
export function insertEventsStatements(db: D1Database, events: readonly NewEvent[]): D1PreparedStatement[] {
  return inParts(events).map((part) =>
    db
      .prepare(
        `INSERT INTO events (user_id, type, subject, data, at)
         SELECT value ->> 'userId', value ->> 'type', value ->> 'subject', value ->> 'data', value ->> 'at'
         FROM json_each(?)`,
      )
      .bind(JSON.stringify(part)),
  )
}

/** Where the queue ends; 0 while nothing ever happened. */
export async function selectLastEvent(db: D1Database): Promise<number> {
  const statement = db.prepare('SELECT IFNULL(MAX(seq), 0) AS last FROM events')
  return (await firstRow<{ last: number }>(statement)).last
}

/** The oldest event that is stored, whoever's it is; `undefined` when none is. */
export async function selectFirstEvent(db: D1Database): Promise<number | undefined> {
  const row = await db.prepare('SELECT MIN(seq) AS first FROM events').first<{ first: number | null }>()
  return row?.first ?? undefined
}

/** Events of a user behind `after`, oldest first, at most `limit`. */
export async function selectEvents(
  db: D1Database,
  userId: string,
  after: number,
  limit: number,
): Promise<QueuedEvent[]> {
  const { results } = await db
    .prepare(
      `SELECT seq, user_id AS userId, type, subject, data, at FROM events
       WHERE user_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
    )
    .bind(userId, after, limit)
    .all<QueuedEvent>()
  return results
}

/** Events deleted in one run. */
const SWEPT = 5_000

/** Deletes events that are too old, some at a time. `now` in milliseconds. */
export async function sweepEvents(db: D1Database, now: number): Promise<void> {
  await db
    .prepare('DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE at < ? ORDER BY at LIMIT ?)')
    .bind(now - EVENT_RETENTION_MS, SWEPT)
    .run()
}
