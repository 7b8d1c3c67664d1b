import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { daysLeft, measureDatabase, readDatabaseSize } from '../../../../worker/features/health/database-size.ts'
import { databaseState } from '../../../../worker/platform/d1/database-room.ts'
import { TABLE_RETENTION } from '../../../../worker/platform/d1/table-retention.ts'
import { add, clear, list } from '../../rows.ts'

const DAY = 86_400_000
const NOW = 20_000 * DAY

describe('the size of the database', () => {
  it('is filling from 80 % on, and full from 95 % on', () => {
    expect([0, 799, 800, 949, 950, 2000].map((bytes) => databaseState(bytes, 1000))).toEqual([
      ...['ok', 'ok', 'filling', 'filling', 'full', 'full'],
    ])
  })

  it('lasts as long as the growth of the last days lets it', () => {
    expect(daysLeft(600, 1000, { day: 10, bytes: 500, now: 15 * DAY })).toBe(20)
    expect(daysLeft(500, 1000, { day: 10, bytes: 500, now: 15 * DAY })).toBeUndefined()
    expect(daysLeft(1100, 1000, { day: 10, bytes: 500, now: 15 * DAY })).toBe(0)
  })

  it('is noted once a day for a month, and what the tables have is counted, one at a time and each once a day', async () => {
    await clear('table_counts', 'database_sizes', 'events')
    await add('events', { subject: 'a' }, { subject: 'b' })
    await add('database_sizes', { day: 19_960, bytes: 1 }, { day: 19_996, bytes: 1 })
    const tables = Object.keys(TABLE_RETENTION).length
    for (let run = 0; run < tables + 5; run++) await measureDatabase(env.DB, NOW + run)
    expect(await list('table_counts', 'name')).toHaveLength(tables)
    expect(await env.DB.prepare(`SELECT rows FROM table_counts WHERE name = 'events'`).first('rows')).toBe(2)
    expect(await list('database_sizes', 'day')).toEqual([19_996, 20_000])
    const size = await readDatabaseSize(env.DB, 10_000_000_000, NOW)
    expect(size).toMatchObject({ limit: 10_000_000_000, state: 'ok' })
    expect(size.bytes).toBeGreaterThan(0)
    expect(size.counted).toBeGreaterThanOrEqual(2 * TABLE_RETENTION.events.bytes)
    // Four days for what it has now.
    expect(size.daysLeft).toBe(Math.floor((10_000_000_000 - size.bytes) / ((size.bytes - 1) / 4)))
  })
})
