import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  claimDelivery,
  type Delivery,
  makeDeliveries,
  recordDelivered,
  recordFailedDelivery,
  selectDue,
  sweepDeliveries,
} from '../../../../../worker/features/events/sql/deliveries.ts'
import {
  deleteStreamLease,
  insertStreamLease,
  renewStreamLease,
  sweepStreamLeases,
} from '../../../../../worker/features/events/sql/event-streams.ts'
import {
  deleteEndedWebhooks,
  deleteWebhook,
  hasWebhooks,
  insertWebhook,
  selectReceiver,
  selectSecrets,
  selectWebhooks,
  updateSecrets,
} from '../../../../../worker/features/events/sql/webhooks.ts'
import {
  insertItemEventsStatement,
  insertProgressStatement,
} from '../../../../../worker/features/items/sql/item-events.ts'
import {
  selectEvents,
  selectFirstEvent,
  selectLastEvent,
  sweepEvents,
} from '../../../../../worker/platform/records/event-queue.ts'
import { add, addMany, clear, count, list, read } from '../../../rows.ts'

const { DB } = env
const ALL = '["item.stored","item.stopped","request.seen","item.merging"]'

beforeEach(async () => {
  await clear('webhook_deliveries', 'webhooks', 'events', 'event_streams', 'api_keys', 'users', 'items', 'mails')
  await DB.prepare('UPDATE webhook_position SET seq = 0').run()
})

describe('events', () => {
  it('are read by their user, in their order, from somewhere on', async () => {
    expect([await selectLastEvent(DB), await selectFirstEvent(DB)]).toEqual([0, undefined])
    await add('events', { seq: 3 }, { seq: 4, user_id: 'bob' }, { seq: 5 }, { seq: 6 })
    expect([await selectLastEvent(DB), await selectFirstEvent(DB)]).toEqual([6, 3])
    expect((await selectEvents(DB, 'ada', 3, 9)).map(({ seq }) => seq)).toEqual([5, 6])
    expect((await selectEvents(DB, 'ada', 0, 1)).map(({ seq }) => seq)).toEqual([3])
  })

  it('are swept after a week, the oldest first, some thousand at a time', async () => {
    const week = 604_800_000
    await addMany('events', 5_002, { seq: 'n', at: '5003 - n' })
    await sweepEvents(DB, 5_002 + week)
    expect(await list('events', 'at')).toEqual([5_001, 5_002])
    await sweepEvents(DB, 5_002 + week)
    expect(await list('events', 'at')).toEqual([5_002])
  })

  it('tell of items for which a condition holds', async () => {
    await add('items', { id: 'a' }, { id: 'b' })
    await insertItemEventsStatement(
      DB,
      'item.stored',
      { sql: 'id = ?', values: ['a'] },
      { now: 5, message: 'why' },
    ).run()
    expect(await read('events', 'subject', "at || (data ->> 'message')")).toEqual({ a: '5why' })
  })

  it('tell how far items are that are asked for, and that are being written', async () => {
    const row = { status: 202, written: 1 }
    await add('items', { id: 'a', ...row }, { id: 'b', ...row }, { id: 'c', status: 200, written: 1 })
    await insertProgressStatement(DB, ['a', 'c'], 5).run()
    expect(await read('events', 'subject', 'at')).toEqual({ a: 5 })
  })
})

describe('deliveries', () => {
  const at = (webhook_id: string, event_seq: number, next_attempt_at = 0) => ({
    webhook_id,
    event_seq,
    next_attempt_at,
  })
  const waiting = () => list('webhook_deliveries', 'webhook_id || event_seq')
  const delivery = (webhookId: string, seq: number, nextAttemptAt = 0): Delivery => ({
    ...{ webhookId, seq, nextAttemptAt, url: '', secret: '', type: '', data: '', at: 0, attempts: 0 },
  })

  it('are made once, for what each webhook of the account wants to be told', async () => {
    expect(await makeDeliveries(DB, 5)).toBe(false)
    await add(
      'webhooks',
      { id: 'all', types: ALL },
      { id: 'some', types: '["item.stopped"]' },
      { id: 'off', types: ALL, off_at: 1 },
    )
    await add('webhooks', { id: 'later', types: ALL, created_at: 8 }, { id: 'bobs', types: ALL, user_id: 'bob' })
    await add('webhooks', { id: 'ended', types: ALL, ends_at: 5 }, { id: 'paused', types: ALL, paused_at: 1 })
    const events = ['item.stored', 'item.stopped', 'item.merging', 'request.settled']
    await add('events', ...events.map((type, n) => ({ seq: n + 1, type, at: 7 + n })))
    expect(await makeDeliveries(DB, 5)).toBe(false)
    expect(await waiting()).toEqual(['all1', 'all2', 'later2', 'some2'])
    await add('events', { seq: 9, user_id: 'bob' })
    await makeDeliveries(DB, 6)
    expect(await read('webhook_deliveries', 'webhook_id || event_seq', 'next_attempt_at')).toEqual({
      ...{ all1: 5, all2: 5, bobs9: 6, later2: 5, some2: 5 },
    })
  })

  it('are made of two thousand events in a run', async () => {
    await add('webhooks', { id: 'all', types: ALL })
    await addMany('events', 2_001, { seq: 'n', subject: 'n', data: "''" })
    expect(await makeDeliveries(DB, 5)).toBe(true)
    expect(await count('webhook_deliveries')).toBe(2_000)
    expect(await makeDeliveries(DB, 5)).toBe(false)
    expect(await count('webhook_deliveries')).toBe(2_001)
  })

  it('are due at their time, the oldest of each webhook first', async () => {
    await add('events', ...[1, 2, 3].map((seq) => ({ seq })))
    await add('webhooks', { id: 'a' }, { id: 'b' }, { id: 'off', off_at: 1 })
    await add('webhook_deliveries', at('a', 1, 5), at('a', 2), at('a', 3, 6), at('b', 3), at('off', 1), at('b', 99))
    const due = async (perWebhook: number, limit: number) =>
      (await selectDue(DB, 5, { perWebhook, limit })).map(({ webhookId, seq }) => webhookId + seq)
    expect(await due(9, 9)).toEqual(['a1', 'b3', 'a2'])
    expect(await due(1, 9)).toEqual(['a1', 'b3'])
    expect(await due(9, 1)).toEqual(['a1'])
  })

  it('W8: are due for every webhook, however many wait for one of them', async () => {
    await add('events', { seq: 1 }, { seq: 2 }, { seq: 9_999 })
    await add('webhooks', { id: 'a' }, { id: 'b' }, { id: 'c' })
    await addMany('webhook_deliveries', 5_000, { webhook_id: "'b'", event_seq: 'n', next_attempt_at: '3' })
    await add('webhook_deliveries', at('c', 9_999, 3), at('a', 9_999, 4), at('b', 9_999, 4))
    const due = (await selectDue(DB, 5, { perWebhook: 2, limit: 9 })).map(({ webhookId, seq }) => webhookId + seq)
    expect(due).toEqual(['b1', 'a9999', 'c9999', 'b2'])
  })

  it('are due though a thousand other webhooks wait for a later time', async () => {
    await add('events', { seq: 1 })
    await add('webhooks', { id: 'a' }, { id: 'z' })
    const later = { id: "'later' || n", user_id: "'ada'", url: "''", secret: "''", types: "'[]'", created_at: '0' }
    await addMany('webhooks', 1_000, later)
    await addMany('webhook_deliveries', 1_000, { webhook_id: later.id, event_seq: '1', next_attempt_at: '9' })
    await add('webhook_deliveries', at('a', 1), at('z', 1))
    const due = await selectDue(DB, 5, { perWebhook: 1, limit: 9 })
    expect(due.map(({ webhookId }) => webhookId)).toEqual(['a', 'z'])
  })

  it('are looked at as far as they became due at a thousand times', async () => {
    await add('events', { seq: 1 })
    await add('webhooks', { id: 'a' }, { id: 'b' })
    await addMany('webhook_deliveries', 1_000, { webhook_id: "'a'", event_seq: 'n', next_attempt_at: 'n' })
    await add('webhook_deliveries', at('b', 1, 1_001))
    const due = async () => (await selectDue(DB, 2_000, { perWebhook: 1, limit: 9 })).map(({ webhookId }) => webhookId)
    expect(await selectDue(DB, 0, { perWebhook: 1, limit: 9 })).toEqual([])
    expect(await due()).toEqual(['a'])
    await DB.prepare('DELETE FROM webhook_deliveries WHERE next_attempt_at = 500').run()
    expect((await due()).sort()).toEqual(['a', 'b'])
  })

  it('are taken on by one, and end when the webhook took them', async () => {
    await add(
      'webhooks',
      { id: 'a', failing_since: 3, problem: 'p' },
      { id: 'b', failing_since: 3, problem: 'p' },
      { id: 'c', problem: 'p' },
    )
    await add('webhook_deliveries', at('a', 1), at('a', 2), at('b', 1))
    expect(await claimDelivery(DB, delivery('a', 1, 4), 9)).toBe(false)
    expect(await claimDelivery(DB, delivery('a', 1), 9)).toBe(true)
    expect(await claimDelivery(DB, delivery('a', 1), 9)).toBe(false)
    expect(await read('webhook_deliveries', 'webhook_id || event_seq', "attempts || ':' || next_attempt_at")).toEqual({
      ...{ a1: '1:9', a2: '0:0', b1: '0:0' },
    })
    await recordDelivered(DB, delivery('a', 1))
    await recordDelivered(DB, delivery('c', 1))
    expect(await waiting()).toEqual(['a2', 'b1'])
    expect(await read('webhooks', 'id', "IFNULL(failing_since, '') || IFNULL(problem, '')")).toEqual({
      a: '',
      b: '3p',
      c: 'p',
    })
  })

  it('hold up the others of their webhook when it took none, and are given up without a time', async () => {
    await add('webhooks', { id: 'a' }, { id: 'b' }, { id: 'off', off_at: 1, problem: 'p', failing_since: 1 })
    await add('webhook_deliveries', at('a', 1, 99), at('a', 2, 3), at('a', 3, 50), at('b', 1, 3))
    const note = (seq: number, retryAt: number | undefined, given = {}) =>
      recordFailedDelivery(
        DB,
        delivery('a', seq),
        { problem: 'p', retryAt, offBefore: 0, offAtOnce: false, ...given },
        7,
      )
    await note(1, 40)
    expect(await read('webhook_deliveries', 'webhook_id || event_seq', 'next_attempt_at')).toEqual({
      a1: 40,
      a2: 40,
      a3: 50,
      b1: 3,
    })
    await note(1, undefined)
    expect(await waiting()).toEqual(['a2', 'a3', 'b1'])
    expect(await read('webhooks', 'id', "failing_since || ':' || problem || ':' || IFNULL(off_at, '')")).toEqual({
      a: '7:p:',
      b: null,
      off: '1:p:1',
    })
  })

  it.each([
    ['it took nothing for too long', { offBefore: 7 }, 1, true],
    ['it took something since', { offBefore: 6 }, 1, false],
    ['it says that it is gone', { offAtOnce: true }, 1, true],
    ['ten thousand messages wait', {}, 10_000, false],
    ['more than ten thousand wait', {}, 10_001, true],
  ])('end with their webhook where %s: %o, %i, %s', async (_, given, waits, off) => {
    await add('webhooks', { id: 'a' }, { id: 'b' })
    await addMany('webhook_deliveries', waits, { webhook_id: "'a'", event_seq: 'n', next_attempt_at: '0' })
    await add('webhook_deliveries', at('b', 1))
    const outcome = { problem: 'p', retryAt: 40, offBefore: 0, offAtOnce: false, ...given }
    await recordFailedDelivery(DB, delivery('a', 1), outcome, 7)
    expect(await read('webhooks', 'id', 'off_at')).toEqual({ a: off ? 7 : null, b: null })
    expect(await count('webhook_deliveries')).toBe(off ? 1 : waits + 1)
  })

  it('are counted for the webhook that they are of', async () => {
    await add('webhooks', { id: 'a' }, { id: 'b' })
    await addMany('webhook_deliveries', 10_001, { webhook_id: "'b'", event_seq: 'n', next_attempt_at: '0' })
    await recordFailedDelivery(DB, delivery('a', 1), { problem: 'p', retryAt: 40, offBefore: 0, offAtOnce: false }, 7)
    expect(await read('webhooks', 'id', 'off_at')).toEqual({ a: null, b: null })
  })

  it('are swept whose event is gone, a thousand looked at in a run', async () => {
    await add('webhooks', { id: 'a' })
    await add('events', { seq: 1 })
    await add('webhook_deliveries', at('a', 1, 9), at('a', 2, 9))
    await sweepDeliveries(DB)
    expect(await waiting()).toEqual(['a1'])
    await addMany('webhook_deliveries', 1_001, { webhook_id: "'a'", event_seq: '100 + n', next_attempt_at: '0' })
    await sweepDeliveries(DB)
    expect(await count('webhook_deliveries')).toBe(2)
  })
})

describe('webhooks', () => {
  const insert = (id: string, most: number, { keyId, epoch = 0 }: { keyId?: string; epoch?: number } = {}) =>
    insertWebhook(
      DB,
      {
        ...{ id, userId: 'ada', url: 'https://shop.example.com/', types: ['item.stored'], createdAt: 5, secret: '' },
        ...{ madeBy: keyId === undefined ? 'login' : 'key', keyId, endsAt: undefined },
      },
      { most, epoch },
    )

  it('are so many of an account', async () => {
    await add('users', { id: 'ada' })
    expect(await hasWebhooks(DB)).toBe(false)
    await add('webhooks', { id: 'bobs', user_id: 'bob' })
    expect(await hasWebhooks(DB)).toBe(true)
    expect([await insert('a', 2), await insert('b', 2), await insert('c', 2)]).toEqual([true, true, false])
    expect((await selectWebhooks(DB, 'ada', 5)).map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('are not made where the tokens of the account, or the key, ended meanwhile', async () => {
    await add('users', { id: 'ada', token_epoch: 1 })
    await add('api_keys', { id: 'k' })
    const made = [await insert('a', 5), await insert('b', 5, { keyId: 'l' })]
    expect([...made, await insert('c', 5, { epoch: 1 }), await insert('d', 5, { keyId: 'k' })]).toEqual([
      ...[false, false, true, true],
    ])
    expect(await list('webhooks', 'id')).toEqual(['c', 'd'])
    expect(await read('mails', 'about', 'template')).toEqual({ 'shop.example.com': 'webhook' })
    expect(await read('audit', 'subject', 'reason')).toMatchObject({ 'webhook:c': null, 'webhook:d': 'with the key k' })
  })

  it('whose key has ended are no longer listed, told or counted, and are deleted some at a time', async () => {
    await add('users', { id: 'ada' })
    await add('webhooks', { id: 'a', ends_at: 5 }, { id: 'b', ends_at: 6 }, { id: 'c' })
    await add('events', { seq: 1 })
    await add(
      'webhook_deliveries',
      ...['a', 'b', 'c'].map((webhook_id) => ({ webhook_id, event_seq: 1, next_attempt_at: 0 })),
    )
    expect((await selectWebhooks(DB, 'ada', 5)).map(({ id }) => id)).toEqual(['b', 'c'])
    expect((await selectDue(DB, 5, { perWebhook: 5, limit: 5 })).map(({ webhookId }) => webhookId)).toEqual(['b', 'c'])
    expect(await selectReceiver(DB, 'ada', 'a', 5)).toBeUndefined()
    expect([await insert('d', 3), await insert('e', 3)]).toEqual([true, false])
    await addMany('webhooks', 30, { id: "'many' || n", user_id: "'bob'", ends_at: '1' })
    await deleteEndedWebhooks(DB, 5)
    expect(await count('webhooks')).toBe(14)
    await deleteEndedWebhooks(DB, 5)
    expect(await list('webhooks', 'id')).toEqual(['b', 'c', 'd'])
    expect(await list('webhook_deliveries', 'webhook_id')).toEqual(['b', 'c'])
  })

  it('are deleted by their user, with what they were to be told', async () => {
    await add('webhooks', { id: 'a' }, { id: 'b' }, { id: 'bobs', user_id: 'bob' })
    await add(
      'webhook_deliveries',
      ...['a', 'b', 'bobs'].map((webhook_id) => ({ webhook_id, event_seq: 1, next_attempt_at: 0 })),
    )
    for (const id of ['bobs', 'none']) expect(await deleteWebhook(DB, 'ada', id, 5)).toBe(false)
    expect(await count('webhook_deliveries')).toBe(3)
    expect(await deleteWebhook(DB, 'ada', 'a', 5)).toBe(true)
    expect(await list('webhooks', 'id')).toEqual(['b', 'bobs'])
    expect(await list('webhook_deliveries', 'webhook_id')).toEqual(['b', 'bobs'])
  })

  it('have secrets that are exchanged, each where it is still the former', async () => {
    await add(
      'webhooks',
      { id: 'a', secret: 's' },
      { id: 'b', secret: 's' },
      { id: 'c', secret: 't' },
      { id: 'd', secret: 's' },
    )
    expect((await selectSecrets(DB, 'a', 2)).map(({ id }) => id)).toEqual(['b', 'c'])
    await updateSecrets(DB, [])
    await updateSecrets(DB, [
      { id: 'a', from: 's', to: 'new' },
      { id: 'c', from: 's', to: 'new' },
    ])
    expect(await read('webhooks', 'id', 'secret')).toEqual({ a: 'new', b: 's', c: 't', d: 's' })
  })
})

describe('streams of events', () => {
  const lease = (id: string, given: { keyId?: string; userId?: string } = {}, now = 5) =>
    insertStreamLease(DB, { id, userId: 'ada', tokenEpoch: 4, keyId: undefined, expiresAt: 10, ...given }, 2, now)

  it('are so many of an account at a time', async () => {
    expect([await lease('a'), await lease('b'), await lease('c')]).toEqual([true, true, false])
    expect(await lease('d', { userId: 'bob' })).toBe(true)
    expect(await lease('e', {}, 9)).toBe(false)
    expect(await lease('e', {}, 10)).toBe(true)
    await deleteStreamLease(DB, 'a')
    expect(await list('event_streams', 'id')).toEqual(['b', 'd', 'e'])
  })

  it('go on while what they were opened with lives', async () => {
    await add('users', { id: 'ada', token_epoch: 4 }, { id: 'bob' })
    await add('api_keys', { id: 'k' }, { id: 'l', user_id: 'bob' })
    await lease('token')
    await lease('key', { keyId: 'k' })
    const renewed = async () => [await renewStreamLease(DB, 'token', 20), await renewStreamLease(DB, 'key', 20)]
    expect(await renewed()).toEqual([true, true])
    await lease('other', { userId: 'bob' })
    expect(await read('event_streams', 'id', 'expires_at')).toEqual({ key: 20, other: 10, token: 20 })
    expect(await renewStreamLease(DB, 'none', 20)).toBe(false)
    await DB.prepare("UPDATE users SET token_epoch = 5 WHERE id = 'ada'").run()
    await DB.prepare("UPDATE users SET token_epoch = 4 WHERE id = 'bob'").run()
    expect(await renewed()).toEqual([false, true])
    await DB.prepare("DELETE FROM api_keys WHERE id = 'k'").run()
    expect(await renewed()).toEqual([false, false])
    await add('api_keys', { id: 'k' })
    await DB.prepare("UPDATE users SET status = 0 WHERE id = 'ada'").run()
    expect(await renewed()).toEqual([false, false])
  })

  it('that were abandoned are swept, a thousand at a time', async () => {
    await addMany('event_streams', 1_002, { id: 'n', user_id: "''", expires_at: 'IIF(n = 1, 6, 5)' })
    await sweepStreamLeases(DB, 5)
    expect(await count('event_streams')).toBe(2)
    await sweepStreamLeases(DB, 5)
    expect(await list('event_streams', 'expires_at')).toEqual([6])
  })
})
