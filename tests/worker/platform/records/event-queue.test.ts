import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { objectId } from '../../../../protocol/object-id.ts'
import { insertProgressStatement } from '../../../../worker/features/items/sql/item-events.ts'
import {
  EVENT_RETENTION_MS,
  insertEventStatement,
  insertEventsStatements,
  type NewEvent,
  selectEvents,
  sweepEvents,
} from '../../../../worker/platform/records/event-queue.ts'

const NOW = Date.UTC(2027, 0, 1)

let userId: string
beforeEach(() => {
  userId = crypto.randomUUID()
})

const event = (more: Partial<NewEvent> = {}): NewEvent => ({
  userId,
  type: 'item.stored',
  subject: objectId(NOW),
  data: '{}',
  at: NOW,
  ...more,
})
const all = (after = 0) => selectEvents(env.DB, userId, after, 1_000)

describe('the queue of events', () => {
  it('W7: gives a user the events of that user in the order in which they happened, from any one on', async () => {
    const subjects = ['a', 'b', 'c', 'd']
    for (const subject of subjects) {
      await insertEventStatement(env.DB, event({ subject })).run()
      await insertEventStatement(env.DB, event({ userId: 'another', subject: 'x' })).run()
    }
    const events = await all()
    expect(events.map(({ subject }) => subject)).toEqual(subjects)
    expect((await all(events[1]?.seq)).map(({ subject }) => subject)).toEqual(['c', 'd'])
  })

  it('takes more events at once than D1 takes parameters', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => event({ subject: String(index) }))
    await env.DB.batch(insertEventsStatements(env.DB, many))
    expect(await selectEvents(env.DB, userId, 0, 5_000)).toHaveLength(2_500)
  })

  it('has none whose change was not made', async () => {
    const failing = env.DB.prepare('INSERT INTO assertions (holds) VALUES (0)')
    await expect(env.DB.batch([insertEventStatement(env.DB, event()), failing])).rejects.toThrow('constraint')
    expect(await all()).toEqual([])
  })

  it('never gives a number twice, even when the last events were swept', async () => {
    await insertEventStatement(env.DB, event({ at: 0 })).run()
    const [first] = await all()
    await sweepEvents(env.DB, EVENT_RETENTION_MS + 1)
    expect(await all()).toEqual([])
    await insertEventStatement(env.DB, event()).run()
    const [second] = await all()
    expect(second?.seq).toBeGreaterThan(first?.seq ?? Number.POSITIVE_INFINITY)
  })

  it('keeps events for seven days, and none longer', async () => {
    await insertEventStatement(env.DB, event({ subject: 'old', at: NOW - EVENT_RETENTION_MS - 1 })).run()
    await insertEventStatement(env.DB, event({ subject: 'young', at: NOW - EVENT_RETENTION_MS })).run()
    await sweepEvents(env.DB, NOW)
    expect((await all()).map(({ subject }) => subject)).toEqual(['young'])
  })
})

describe('the progress of an item', () => {
  const id = objectId(NOW)
  const shown = async (written: number, confirmed: number, at: number) => {
    await env.DB.prepare('UPDATE items SET written = ?, confirmed = ? WHERE id = ?').bind(written, confirmed, id).run()
    await insertProgressStatement(env.DB, [id], at).run()
    return (await all()).map(({ data }): unknown => JSON.parse(data))
  }
  beforeEach(async () => {
    await env.DB.prepare(
      `INSERT OR REPLACE INTO items (id, user_id, name, mimetype, blockchain, size, chunk_size, chunks, status,
         transactions, created_at, updated_at) VALUES (?, ?, 'a', 'text/plain', 'Bitcoin', 1, 1, 1, 202, 9, 0, 0)`,
    )
      .bind(id, userId)
      .run()
    await env.DB.prepare('DELETE FROM events WHERE subject = ?').bind(id).run()
  })

  it('is told at most once a second, and only where it changed', async () => {
    const told = (written: number, confirmed: number) => [{ id, written, confirmed, transactions: 9 }]
    expect(await shown(0, 0, NOW)).toEqual([])
    expect(await shown(1, 0, NOW)).toEqual(told(1, 0))
    expect(await shown(2, 0, NOW + 999)).toEqual(told(1, 0))
    expect(await shown(3, 1, NOW + 1_000)).toEqual(told(3, 1))
    const [before] = await all()
    expect(await shown(3, 1, NOW + 9_000)).toEqual(told(3, 1))
    expect(await all()).toEqual([before])
  })

  it('takes one row however often it changes, which comes behind what was told before', async () => {
    await shown(1, 0, NOW)
    const [first] = await all()
    await shown(2, 0, NOW + 5_000)
    expect(await all(first?.seq)).toHaveLength(1)
    expect(await all()).toHaveLength(1)
  })

  it('is told on when the clock went back', async () => {
    await shown(1, 0, NOW)
    expect(await shown(2, 0, NOW - 60_000)).toEqual([{ id, written: 2, confirmed: 0, transactions: 9 }])
  })
})
