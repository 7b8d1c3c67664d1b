import { type DatabaseState, databaseState } from '../../platform/d1/database-room.ts'
import { TABLE_RETENTION } from '../../platform/d1/table-retention.ts'

const DAY = 86_400_000
/** Days whose growth says how long the rest lasts. */
const RATE_DAYS = 7
/** Rows that are counted of a table at most: a count reads them all. */
const MOST_COUNTED = 5_000_000

/** How full the database is; bytes. */
export interface DatabaseSize {
  /** As the platform says it. */
  bytes: number
  limit: number
  /** Rows of the tables that grow, as they were last counted, times the bytes of each. */
  counted: number
  /** Until it is full at the rate of the last days; `undefined` while it does not grow, or nobody knows. */
  daysLeft: number | undefined
  state: DatabaseState
}

/** Notes once a day how large the database is, and counts one table that was not counted for a day. `now` in milliseconds. */
export async function measureDatabase(db: D1Database, now: number): Promise<void> {
  const day = Math.floor(now / DAY)
  const { results, meta } = await db
    .prepare('SELECT name, counted_at AS at FROM table_counts')
    .run<{ name: string; at: number }>()
  await db.batch([
    db
      .prepare('INSERT INTO database_sizes (day, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .bind(day, meta.size_after),
    db.prepare('DELETE FROM database_sizes WHERE day < ?').bind(day - 30),
  ])
  const counted = new Map(results.map(({ name, at }) => [name, at]))
  const due = Object.keys(TABLE_RETENTION).find((name) => now - (counted.get(name) ?? 0) >= DAY)
  if (due !== undefined) await countTableStatement(db, due, now).run()
}

/** The statement that counts the rows of a table, up to a limit. `now` in milliseconds. */
export function countTableStatement(db: D1Database, table: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO table_counts (name, rows, counted_at)
       SELECT ?1, COUNT(*), ?2 FROM (SELECT 1 FROM ${table} LIMIT ${MOST_COUNTED}) WHERE true
       ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, counted_at = excluded.counted_at`,
    )
    .bind(table, now)
}

/** How full the database is, of `limit` bytes. `now` in milliseconds. */
export async function readDatabaseSize(db: D1Database, limit: number, now: number): Promise<DatabaseSize> {
  const { results: rows, meta } = await db
    .prepare('SELECT name, rows FROM table_counts')
    .run<{ name: string; rows: number }>()
  const oldest = await db
    .prepare('SELECT day, bytes FROM database_sizes WHERE day >= ? ORDER BY day LIMIT 1')
    .bind(Math.floor(now / DAY) - RATE_DAYS)
    .first<{ day: number; bytes: number }>()
  const bytes = meta.size_after
  const perRow: Partial<Record<string, { bytes: number }>> = TABLE_RETENTION
  return {
    bytes,
    limit,
    counted: rows.reduce((sum, row) => sum + row.rows * (perRow[row.name]?.bytes ?? 0), 0),
    daysLeft: oldest === null ? undefined : daysLeft(bytes, limit, { ...oldest, now }),
    state: databaseState(bytes, limit),
  }
}

/** Days until a database is full that had so many bytes on an earlier day; `undefined` where it did not grow since. Pure. */
export function daysLeft(
  bytes: number,
  limit: number,
  earlier: { day: number; bytes: number; now: number },
): number | undefined {
  const days = earlier.now / DAY - earlier.day
  const perDay = (bytes - earlier.bytes) / Math.max(1, days)
  return perDay > 0 ? Math.max(0, Math.floor((limit - bytes) / perDay)) : undefined
}
