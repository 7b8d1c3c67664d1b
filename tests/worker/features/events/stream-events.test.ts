import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { objectId } from '../../../../protocol/object-id.ts'
import { insertStreamLease } from '../../../../worker/features/events/sql/event-streams.ts'
import { type StreamRequest, streamEvents } from '../../../../worker/features/events/stream-events.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { insertEventStatement, selectEvents, sweepEvents } from '../../../../worker/platform/records/event-queue.ts'
import { add } from '../../rows.ts'
import { addUser } from '../../sign-in.ts'
import { readMessages } from './read-messages.ts'

const NOW = Date.UTC(2027, 0, 1)
const MINUTE = 60_000

let userId: string
let time: number
/** What happens while the stream waits, by the number of the wait. */
let meanwhile: ((waits: number) => Promise<unknown>) | undefined
let waits: number
beforeEach(async () => {
  await env.DB.exec('DELETE FROM events')
  ;({ userId } = await addUser())
  time = NOW
  waits = 0
  meanwhile = undefined
})

const leases = async () =>
  (await env.DB.prepare('SELECT expires_at FROM event_streams WHERE user_id = ?').bind(userId).all()).results

async function open(more: Partial<StreamRequest> = {}) {
  const leaseId = crypto.randomUUID()
  await insertStreamLease(
    env.DB,
    { id: leaseId, userId, tokenEpoch: 0, keyId: undefined, expiresAt: time + 30_000 },
    3,
    time,
  )
  return streamEvents({
    db: env.DB,
    config: readConfig(env),
    userId,
    leaseId,
    money: true,
    after: undefined,
    until: NOW + 5 * MINUTE,
    clock: () => time,
    async wait(ms) {
      await meanwhile?.(++waits)
      time += ms
    },
    ...more,
  })
}
const happen = (subject: string, at = time) =>
  insertEventStatement(env.DB, {
    userId,
    type: 'item.stored',
    subject,
    data: JSON.stringify({ id: subject }),
    at,
  }).run()
/** All that the stream sends until `enough` holds, or it ends. */
async function readUntil(stream: AsyncGenerator<string, void>, enough: (text: string) => boolean = () => false) {
  let text = ''
  for await (const part of stream) {
    text += part
    if (enough(text)) break
  }
  return text
}
const idsOf = (text: string) => readMessages(text).flatMap(({ data }) => data.data?.id ?? [])

describe('a stream of events', () => {
  it('goes on after a withdrawal, whose address is none of ours', async () => {
    const data = JSON.stringify({ id: 'w', address: 'ntcrt1qsomebodyelse' })
    const stream = await open()
    meanwhile = async (n) => {
      if (n === 2) {
        await insertEventStatement(env.DB, { userId, type: 'withdrawal.sent', subject: 'w', data, at: time }).run()
      }
      if (n === 3) await happen('after')
    }
    const text = await readUntil(stream, (so) => so.includes('item.stored'))
    expect(text).toContain('event: withdrawal.sent')
    expect(idsOf(text)).toContain('after')
  })

  it('tells what happens from when it begins, with its type, its time and where to go on', async () => {
    await happen('before')
    const stream = await open()
    meanwhile = async (n) => n === 2 && (await happen('after'))
    const text = await readUntil(stream, (so) => so.includes('item.stored'))
    expect(text).toMatch(/^retry: 2000\nid: \d+\n\n/)
    const [, event] = readMessages(text)
    const queued = await selectEvents(env.DB, userId, 0, 10)
    expect(event).toEqual({
      id: String(queued[1]?.seq),
      type: 'item.stored',
      data: { type: 'item.stored', timestamp: '2027-01-01T00:00:02.000Z', data: { id: 'after' } },
    })
  })

  it('W7: tells a key that may neither read nor pay of items only', async () => {
    const event = { userId, subject: 'x', at: time }
    const stream = await open({ money: false })
    meanwhile = async (count) => {
      if (count > 1) return
      await env.DB.batch([
        insertEventStatement(env.DB, { ...event, type: 'deposit.credited', data: '{"id":"money","address":"a"}' }),
        insertEventStatement(env.DB, { ...event, type: 'withdrawal.sent', data: '{"id":"money"}' }),
        insertEventStatement(env.DB, { ...event, type: 'item.stored', data: '{"id":"an item"}' }),
      ])
    }
    expect(idsOf(await readUntil(stream, (text) => text.includes('an item')))).toEqual(['an item'])
  })

  it('sends something at least every ten seconds, and ends after five minutes', async () => {
    const stream = await open()
    let latest = time
    let longest = 0
    let beats = 0
    for await (const part of stream) {
      longest = Math.max(longest, time - latest)
      latest = time
      if (part === ':\n\n') beats++
    }
    expect(longest).toBeLessThanOrEqual(10_000)
    expect(beats).toBeGreaterThan(25)
    expect(time).toBe(NOW + 5 * MINUTE)
  })

  it('goes on behind the last event that its reader has, and leaves none out however many there are', async () => {
    const subjects = Array.from({ length: 250 }, (_, index) => String(index))
    await env.DB.batch(
      subjects.map((subject) =>
        insertEventStatement(env.DB, { userId, type: 'item.stored', subject, data: `{"id":"${subject}"}`, at: NOW }),
      ),
    )
    const queued = await selectEvents(env.DB, userId, 0, 1_000)
    const stream = await open({ after: queued[9]?.seq, until: NOW + 10_000 })
    expect(idsOf(await readUntil(stream))).toEqual(subjects.slice(10))
  })

  it('says `reset` where events that its reader has not seen are gone', async () => {
    await happen('gone', NOW - 8 * 24 * 60 * MINUTE)
    const [gone] = await selectEvents(env.DB, userId, 0, 10)
    await happen('gone as well', NOW - 8 * 24 * 60 * MINUTE)
    await happen('kept')
    await sweepEvents(env.DB, NOW)
    const stream = await open({ after: gone?.seq, until: NOW + 10_000 })
    const messages = readMessages(await readUntil(stream))
    expect(messages.map(({ type }) => type)).toEqual([undefined, 'reset'])
    const [kept] = await selectEvents(env.DB, userId, 0, 10)
    expect(messages[1]?.id).toBe(String(kept?.seq))
  })

  it('says `reset` for an event that never was: the database is another one', async () => {
    const stream = await open({ after: 10 ** 12, until: NOW + 10_000 })
    expect(await readUntil(stream)).toContain('event: reset\n')
  })

  it('shows an item each time that it changes, and only then', async () => {
    const id = objectId(NOW)
    const change = (message: string) =>
      env.DB.prepare('UPDATE items SET message = ?, updated_at = ? WHERE id = ?').bind(message, time, id).run()
    await add('items', { id, user_id: userId, status: 202, created_at: NOW, updated_at: NOW - MINUTE })
    meanwhile = async (n) => (n === 2 || n === 9) && (await change(`change ${n}`))
    const text = await readUntil(await open({ until: NOW + MINUTE }))
    const shown = readMessages(text).filter(({ type }) => type === 'item')
    expect(shown.map(({ id: number, data }) => [number, data.data?.id, data.data?.message])).toEqual([
      [undefined, id, 'change 2'],
      [undefined, id, 'change 9'],
    ])
  })

  it('shows every one of more items than are read at a time, although all changed at once', async () => {
    const ids = Array.from({ length: 450 }, () => objectId(NOW))
    const row = { user_id: userId, status: 402, created_at: NOW, updated_at: NOW }
    await add('items', ...ids.map((id) => ({ ...row, id })))
    const shown = idsOf(await readUntil(await open({ until: NOW + MINUTE })))
    expect(new Set(shown)).toEqual(new Set(ids))
    expect(shown).toHaveLength(450)
  })

  it('gives its lease back when it ends, and when its reader goes away', async () => {
    await readUntil(await open({ until: NOW + 10_000 }))
    expect(await leases()).toEqual([])
    const left = await open()
    await left.next()
    expect(await leases()).toHaveLength(1)
    await left.return()
    expect(await leases()).toEqual([])
  })

  it('keeps its lease as long as it lasts', async () => {
    let missing = 0
    meanwhile = async () => {
      const [lease] = await leases()
      if (Number(lease?.expires_at) <= time) missing++
    }
    await readUntil(await open({ until: NOW + 2 * MINUTE }))
    expect(missing).toBe(0)
  })

  it('W2: ends with the tokens of its account', async () => {
    meanwhile = async (n) => {
      if (n === 5) {
        await env.DB.prepare('UPDATE users SET token_epoch = token_epoch + 1 WHERE id = ?').bind(userId).run()
      }
    }
    await readUntil(await open())
    expect(time - NOW).toBeLessThan(20_000)
  })

  it('W6: asks the database less often than one invocation may, however much changes', async () => {
    const id = objectId(NOW)
    await add('items', { id, user_id: userId, status: 202 })
    let asked = 0
    const db: D1Database = new Proxy(env.DB, {
      get(target, key) {
        if (key !== 'prepare') return Reflect.get(target, key).bind(target)
        return (sql: string) => {
          asked++
          return target.prepare(sql)
        }
      },
    })
    meanwhile = async (n) => {
      await happen(String(n))
      await env.DB.prepare('UPDATE items SET updated_at = ? WHERE id = ?').bind(time, id).run()
    }
    await readUntil(await open({ db }))
    expect(asked).toBeGreaterThan(400)
    expect(asked).toBeLessThan(1_000)
  })
})
