import type { EventType } from '../../../contract/event-types.ts'
import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { firstRow } from '../d1/first-row.ts'
import { inParts } from '../d1/in-parts.ts'

/** How long an event is stored, in milliseconds. */
export const EVENT_RETENTION_MS = LIFETIMES.events * 1000

/** An event; `data` is the JSON text of an object, `at` in milliseconds. */
export interface NewEvent {
  userId: string
  type: EventType
  /** What it concerns: the id of an item or a withdrawal, or an address. */
  subject: string
  data: string
  at: number
}

/** An event as stored; `seq` is its order. */
export interface QueuedEvent extends NewEvent {
  seq: number
}

/**
 * The statement that queues an event for each row of `select`: SQL that selects user, type, subject, data and time, with `values`.
 * With `replace` it replaces what a unique index of the table excludes.
 */
export function insertSelectedEventsStatement(
  db: D1Database,
  select: string,
  values: readonly (string | number | null)[],
  { replace = false } = {},
): D1PreparedStatement {
  return db
    .prepare(`INSERT ${replace ? 'OR REPLACE ' : ''}INTO events (user_id, type, subject, data, at) ${select}`)
    .bind(...values)
}

/** The statement that queues an event, in the batch of the change that it reports, so that both are stored or neither. */
export function insertEventStatement(db: D1Database, event: NewEvent): D1PreparedStatement {
  const { userId, type, subject, data, at } = event
  return insertSelectedEventsStatement(db, 'VALUES (?, ?, ?, ?, ?)', [userId, type, subject, data, at])
}

/** The statements that queue any number of events. */
export function insertEventsStatements(db: D1Database, events: readonly NewEvent[]): D1PreparedStatement[] {
  return inParts(events).map((part) =>
    insertSelectedEventsStatement(
      db,
      `SELECT value ->> 'userId', value ->> 'type', value ->> 'subject', value ->> 'data', value ->> 'at' FROM json_each(?)`,
      [JSON.stringify(part)],
    ),
  )
}

/** The `seq` of the last event; 0 where there was none. */
export async function selectLastEvent(db: D1Database): Promise<number> {
  const statement = db.prepare('SELECT IFNULL(MAX(seq), 0) AS last FROM events')
  return (await firstRow<{ last: number }>(statement)).last
}

/** The `seq` of the oldest stored event of any user; `undefined` where there is none. */
export async function selectFirstEvent(db: D1Database): Promise<number | undefined> {
  const row = await db.prepare('SELECT MIN(seq) AS first FROM events').first<{ first: number | null }>()
  return row?.first ?? undefined
}

/** Events of a user after the `seq` `after`, oldest first, at most `limit`. */
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

/** The most events that one run deletes. */
const SWEPT = 5_000

/** Deletes expired events, at most SWEPT a call. `now` in milliseconds. */
export async function sweepEvents(db: D1Database, now: number): Promise<void> {
  await db
    .prepare('DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE at < ? ORDER BY at LIMIT ?)')
    .bind(now - EVENT_RETENTION_MS, SWEPT)
    .run()
}
