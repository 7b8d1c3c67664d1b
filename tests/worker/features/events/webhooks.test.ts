import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { EventType } from '../../../../contract/event-types.ts'
import { deliverDueMails } from '../../../../worker/features/accounts/deliver-mail.ts'
import { redeemReset } from '../../../../worker/features/accounts/follow-link.ts'
import { addWebhook } from '../../../../worker/features/events/add-webhook.ts'
import { openSecret, sealSecret } from '../../../../worker/features/events/sealed-secrets.ts'
import { renewSecrets, sendWebhooks } from '../../../../worker/features/events/send-webhooks.ts'
import { makeDeliveries } from '../../../../worker/features/events/sql/deliveries.ts'
import { selectWebhooks } from '../../../../worker/features/events/sql/webhooks.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import type { TokenKey } from '../../../../worker/platform/config/token-keys.ts'
import { selectAudit } from '../../../../worker/platform/records/audit-log.ts'
import { insertEventStatement } from '../../../../worker/platform/records/event-queue.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { accessTokenOf, PASSWORD_HASH, signIn } from '../../sign-in.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const URL = 'https://shop.example.com/hook'

let user: Awaited<ReturnType<typeof signIn>>
let time: number
let keys: TokenKey[]
/** What receivers were sent, and what they answer. */
let sent: { url: string; headers: Record<string, string>; body: string; redirect: string | undefined; at: number }[]
let answer: () => Response | Promise<Response>
beforeEach(async () => {
  await env.DB.batch(
    ['webhook_deliveries', 'webhooks', 'events', 'mails'].map((name) => env.DB.prepare(`DELETE FROM ${name}`)),
  )
  user = await signIn()
  time = Date.now()
  keys = readConfig(env).tokenKeys
  sent = []
  answer = () => new Response(null, { status: 204 })
})

const callerOf = ({ userId }: { userId: string }) => ({ userId, tokenEpoch: 0, key: undefined })
const add = (body: Record<string, unknown> = {}) =>
  addWebhook(env.DB, { webhookLoopback: false, tokenKeys: keys }, callerOf(user), { url: URL, ...body }, time)
const happen = (type: EventType = 'item.stored', subject = 'x', userId = user.userId) =>
  insertEventStatement(env.DB, { userId, type, subject, data: JSON.stringify({ id: subject }), at: time }).run()
const run = () =>
  sendWebhooks({
    db: env.DB,
    clock: () => time,
    keys,
    async fetch(url, { headers, body, redirect }) {
      sent.push({ url, headers: Object.fromEntries(new Headers(headers)), body: String(body), redirect, at: time })
      return await answer()
    },
  })
const only = async () => (await selectWebhooks(env.DB, user.userId, time))[0]
/** Runs each minute, as the clock does, for so many hours. */
async function runFor(hours: number): Promise<void> {
  for (const end = time + hours * HOUR; time < end; time += MINUTE) await run()
}

describe('a webhook', () => {
  it('is told what happened, signed so that a library of the specification takes it', async () => {
    const { secret } = await add()
    await happen('item.stored', 'an item')
    await run()
    expect(sent).toHaveLength(1)
    const [message] = sent
    expect(message).toMatchObject({ url: URL, redirect: 'manual' })
    expect(new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {})).toEqual({
      type: 'item.stored',
      timestamp: new Date(time).toISOString(),
      data: { id: 'an item' },
    })
    const forged = message?.body.replace('an item', 'a bribe') ?? ''
    expect(() => new Webhook(secret).verify(forged, message?.headers ?? {})).toThrow('No matching signature')
    await run()
    expect(sent).toHaveLength(1)
  })

  it('is told of money that came, and of what became of payouts', async () => {
    await add()
    const types = ['deposit.credited', 'withdrawal.failed', 'withdrawal.confirmed'] as const
    for (const type of types) await happen(type)
    await run()
    expect(sent.map(({ body }) => JSON.parse(body).type)).toEqual(types)
  })

  it('is told of what it asked for, of its own account, from when it was added on', async () => {
    await happen('item.stored', 'before')
    time += 1
    await add({ types: ['item.stored', 'request.late'] })
    await happen('item.stopped', 'other type')
    await happen('item.progress', 'no webhook is told of it')
    await happen('item.stored', 'somebody else', 'somebody')
    await happen('request.late', 'yes')
    await run()
    expect(sent.map(({ body }) => JSON.parse(body).data.id)).toEqual(['yes'])
  })

  it('is sent a message again, with the same id, until it takes it', async () => {
    await add()
    await happen()
    answer = () => new Response('no', { status: 500 })
    await runFor(1)
    expect((await only())?.problem).toBe('It answered 500.')
    answer = () => new Response('yes')
    await runFor(4)
    const waits = sent.map(({ at }, index) => Math.round((at - (sent[index - 1]?.at ?? at)) / MINUTE))
    expect(waits).toEqual([0, 1, 5, 30, 120])
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(await only()).toMatchObject({ failingSince: undefined, problem: undefined, offAt: undefined })
  })

  it('is sent a message again when the sender was cut off before it had an answer', async () => {
    await add()
    await happen()
    answer = () => new Promise(() => {})
    void run()
    await expect.poll(() => sent.length).toBe(1)
    answer = () => new Response()
    await run()
    expect(sent).toHaveLength(1)
    time += MINUTE
    await run()
    expect(sent).toHaveLength(2)
  })

  it('is turned off when it took nothing for three days, and told nothing more', async () => {
    await add()
    answer = () => Promise.reject(new TypeError('no route'))
    await happen()
    await runFor(1)
    expect(await only()).toMatchObject({ problem: 'It could not be reached.', offAt: undefined })
    for (let hours = 1; hours < 78; hours += 6) {
      await happen()
      await runFor(0.1)
      time += 6 * HOUR
    }
    expect((await only())?.offAt).toEqual(expect.any(Number))
    const before = sent.length
    await happen()
    await runFor(0.1)
    expect(sent).toHaveLength(before)
  })

  it('that says that it is gone is turned off at once', async () => {
    await add()
    await happen()
    answer = () => new Response(null, { status: 410 })
    await run()
    expect((await only())?.offAt).toBe(time)
  })

  it('W3: does not follow a redirect: that is no answer', async () => {
    await add()
    await happen()
    answer = () => new Response(null, { status: 307, headers: { Location: 'http://10.0.0.1/' } })
    await run()
    expect(sent).toHaveLength(1)
    expect((await only())?.problem).toBe('It answered 307.')
  })

  it('W5: takes a message by its status, however long it goes on talking', async () => {
    await add()
    await happen()
    let read = 0
    const endless = new ReadableStream({
      pull(controller) {
        read += 1024
        controller.enqueue(new Uint8Array(1024))
      },
    })
    answer = () => new Response(endless)
    await run()
    expect(await only()).toMatchObject({ problem: undefined })
    expect(read).toBeLessThan(128 * 1024)
  })

  it('W5: that does not answer keeps no other from being told', async () => {
    await add({ url: 'https://down.example.com/' })
    await add({ url: 'https://up.example.com/' })
    for (let events = 0; events < 30; events++) await happen('item.stored', String(events))
    answer = () => (sent.at(-1)?.url === 'https://down.example.com/' ? Promise.reject(new TypeError()) : new Response())
    await run()
    await run()
    expect(sent.filter(({ url }) => url === 'https://up.example.com/')).toHaveLength(30)
    expect(sent.filter(({ url }) => url === 'https://down.example.com/')).toHaveLength(1)
  })

  it('gets each event once where two runs go on at once', async () => {
    await add()
    for (let events = 0; events < 10; events++) await happen('item.stored', String(events))
    await Promise.all([run(), run(), run()])
    await run()
    expect(sent.map(({ headers }) => headers['webhook-id']).sort()).toHaveLength(10)
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(10)
  })
})

describe('/v0/webhook', () => {
  const send = async (method: string, path = '', body?: unknown) => {
    const response = await fetchApi(method, `/v0/webhook${path}`, { token: user.token, ...(body ? { body } : {}) })
    const text = await response.text()
    return { ...(text === '' ? {} : JSON.parse(text)), status: response.status }
  }

  it('W1: shows the secret once', async () => {
    const added = await send('POST', '', { url: URL })
    expect(added).toMatchObject({ status: 201, url: URL, offAt: null, secret: expect.stringMatching(/^whsec_.{44}$/) })
    const { webhooks } = await send('GET')
    expect(webhooks).toHaveLength(1)
    expect(webhooks[0]).not.toHaveProperty('secret')
  })

  it('W4: takes five of an account, also when all are added at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('POST', '', { url: URL })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    const refused = answers.find(({ status }) => status !== 201)
    expect(refused).toMatchObject({ status: 409, code: 'quota_exceeded', quota: 'webhooks', limit: 5, used: 5 })
  })

  it('deletes one of the caller, with what it was still to be told', async () => {
    const { id } = await send('POST', '', { url: URL })
    await happen()
    answer = () => new Response(null, { status: 500 })
    await run()
    const other = await signIn()
    expect((await fetchApi('DELETE', `/v0/webhook/${id}`, { token: other.token })).status).toBe(404)
    expect((await send('DELETE', `/${id}`)).status).toBe(204)
    expect((await send('DELETE', `/${id}`)).status).toBe(404)
    expect((await env.DB.prepare('SELECT * FROM webhook_deliveries').all()).results).toEqual([])
  })

  const makeKey = async (more: Record<string, unknown> = {}): Promise<{ id: string; key: string }> => {
    const body = { name: 'shop', scopes: ['pay'], spending: { Bitcoin: '1' }, ...more }
    return await (await fetchApi('POST', '/v0/user/keys', { token: user.token, body })).json()
  }
  const addBy = async (token: string) =>
    await (await fetchApi('POST', '/v0/webhook', { token, body: { url: URL } })).json<{ id: string }>()
  /** What the audit log has of webhooks of the user, latest first. */
  const acts = async () => {
    const rows = await selectAudit(env.DB, { account: user.userId, before: Number.MAX_SAFE_INTEGER, limit: 20 })
    return rows.filter(({ subject }) => subject?.startsWith('webhook:')).map(({ act, subject }) => [act, subject])
  }

  it('says who made each: a login or an API key', async () => {
    const key = await makeKey()
    const made = [await addBy(user.token), await addBy(key.key)].map(({ id }) => id)
    const { webhooks } = await send('GET')
    const madeBy = Object.fromEntries(
      webhooks.map((one: { id: string; madeBy: string; key: unknown }) => [one.id, [one.madeBy, one.key]]),
    )
    expect(made.map((id) => madeBy[id])).toEqual([
      ['login', null],
      ['key', key.id],
    ])
  })

  it('W2: ends one with the key that made it, and that is in the audit log', async () => {
    const key = await makeKey()
    const [ended, left] = [await addBy(key.key), await addBy(user.token)]
    time = Date.now()
    await happen()
    await fetchApi('DELETE', `/v0/user/keys/${key.id}`, { token: user.token })
    await run()
    expect(sent).toHaveLength(1)
    expect((await send('GET')).webhooks).toEqual([expect.objectContaining({ id: left.id })])
    expect((await acts())[0]).toEqual(['webhook.deleted', `webhook:${ended.id}`])
    await send('DELETE', `/${left.id}`)
    expect(await acts()).toEqual([
      ['webhook.deleted', `webhook:${left.id}`],
      ['webhook.deleted', `webhook:${ended.id}`],
      ['webhook.added', `webhook:${left.id}`],
      ['webhook.added', `webhook:${ended.id}`],
    ])
  })

  it('W2: ends one when the key that made it expires', async () => {
    const expiresAt = Math.ceil(time / 1000) + 60
    await addBy((await makeKey({ expiresAt })).key)
    await happen()
    time = expiresAt * 1000
    await happen()
    await run()
    expect(sent).toHaveLength(0)
  })

  it('keeps them where somebody else asks for the key to be revoked', async () => {
    const key = await makeKey()
    await addBy(key.key)
    const other = await signIn()
    expect((await fetchApi('DELETE', `/v0/user/keys/${key.id}`, { token: other.token })).status).toBe(404)
    expect((await send('GET')).webhooks).toHaveLength(1)
  })

  it('W2: pauses all when the password is reset; who then logs in lets one go on, from then on', async () => {
    const key = await makeKey()
    const [byKey, byLogin] = [await addBy(key.key), await addBy(user.token)]
    time = Date.now()
    const jti = crypto.randomUUID()
    const link = { jti, userId: user.userId, kind: 'reset', createdAt: 0, expiresAt: time + 1 } as const
    await happen('item.stored', 'before')
    await makeDeliveries(env.DB, time)
    const reset = () => redeemReset(env.DB, link, { passwordHash: PASSWORD_HASH, verifiedStatus: 1, address: '' }, time)
    expect(await reset()).toBe(false)
    expect((await send('GET')).webhooks.map(({ pausedAt }: { pausedAt: unknown }) => pausedAt)).toEqual([null, null])
    await env.DB.prepare(
      "INSERT INTO mail_links (jti, user_id, kind, created_at, expires_at) VALUES (?, ?, 'reset', 0, ?)",
    )
      .bind(jti, user.userId, time + 1)
      .run()
    expect(await reset()).toBe(true)
    await happen('item.stored', 'while paused')
    await run()
    user.token = await accessTokenOf(user.userId)
    const { webhooks } = await send('GET')
    expect(webhooks).toHaveLength(2)
    for (const one of webhooks) expect(one.pausedAt).toBe(Math.floor(time / 1000))
    expect(await send('POST', `/${byKey.id}/test`)).toMatchObject({ status: 409, code: 'webhook_off' })
    expect((await acts()).slice(0, 2)).toEqual(
      expect.arrayContaining([byKey, byLogin].map(({ id }) => ['webhook.paused', `webhook:${id}`])),
    )
    for (let asked = 0; asked < 2; asked++) expect((await send('POST', `/${byKey.id}/resume`)).status).toBe(204)
    expect((await acts()).filter(([act]) => act === 'webhook.resumed')).toHaveLength(1)
    time = Date.now() + 1
    await happen('item.stored', 'after')
    await run()
    expect(sent.map(({ body }) => JSON.parse(body).data.id)).toEqual(['after'])
    const other = await signIn()
    expect((await fetchApi('POST', `/v0/webhook/${byLogin.id}/resume`, { token: other.token })).status).toBe(404)
    const one = (await send('GET')).webhooks.find(({ id }: { id: string }) => id === byKey.id)
    expect(one).toMatchObject({ pausedAt: null, madeBy: 'login', key: null })
  })

  it('lets no API key resume one', async () => {
    const { id } = await addBy(user.token)
    const { key } = await makeKey()
    const refused = await fetchApi('POST', `/v0/webhook/${id}/resume`, { token: key })
    expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ code: 'key_not_taken' })])
  })

  it('mails the account that one was added, and where it leads', async () => {
    const outbox = openOutbox()
    await addBy(user.token)
    await deliverDueMails(env.DB, readConfig(env), Date.now())
    const mail = outbox.mails.find(({ to }) => to === user.email)
    expect(mail).toMatchObject({ subject: 'A webhook was added to your account' })
    expect(mail?.text).toContain('From now on shop.example.com receives')
    vi.restoreAllMocks()
  })

  it('sends a test, signed, returns its outcome, and takes 20 in 15 minutes', async () => {
    const { id, secret } = await send('POST', '', { url: URL })
    const received: { headers: Record<string, string>; body: string }[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      received.push({ headers: Object.fromEntries(new Headers(init?.headers)), body: String(init?.body) })
      return await answer()
    })
    expect(await send('POST', `/${id}/test`)).toEqual({ status: 200, taken: true, problem: null })
    expect(new Webhook(secret).verify(received[0]?.body ?? '', received[0]?.headers ?? {})).toMatchObject({
      ...{ type: 'webhook.test', data: { id } },
    })
    answer = () => new Response(null, { status: 410 })
    expect(await send('POST', `/${id}/test`)).toEqual({ status: 200, taken: false, problem: 'It answered 410.' })
    expect(await only()).toMatchObject({ offAt: undefined, problem: undefined })
    const other = await signIn()
    expect((await fetchApi('POST', `/v0/webhook/${id}/test`, { token: other.token })).status).toBe(404)
    for (let asked = 2; asked < 20; asked++) await send('POST', `/${id}/test`)
    expect(await send('POST', `/${id}/test`)).toMatchObject({ status: 429, code: 'too_many_requests' })
    expect(received).toHaveLength(20)
    vi.restoreAllMocks()
  })

  it.each([
    'http://shop.example.com/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://localhost/',
    'https://shop.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://router.home.arpa/',
    'https://shop/',
    'https://api.default.svc/',
    'https://nas.lan/',
    'https://intra.corp/',
    'https://hidden.onion/',
    'https://shop.example.com:22/',
    'https://shop.example.com:1024/',
    'https://shop.example.com./',
    'https://0x7f.1/',
    'https://user:secret@shop.example.com/',
    'https://shop.example.com/#part',
    'ftp://shop.example.com/',
    'shop.example.com',
    `https://shop.example.com/${'x'.repeat(2_000)}`,
  ])('W3: refuses %s', async (url) => {
    expect(await send('POST', '', { url })).toMatchObject({ status: 400, code: 'invalid_field' })
  })

  it.each([[[]], ['item.stored'], [['item.progress']], [['item.stored', 'item.stored']]])(
    'refuses the types %j',
    async (types) => {
      expect(await send('POST', '', { url: URL, types })).toMatchObject({ status: 400, code: 'invalid_field' })
    },
  )

  it.each([80, 443, 8443, 1025, 65_535])('W3: takes the port %s', async (port) => {
    expect(await send('POST', '', { url: `https://shop.example.com:${port}/` })).toMatchObject({ status: 201 })
  })

  it('W3: takes an address of this machine only where the operator allows it', async () => {
    const body = { url: 'http://127.0.0.1:9000/hook' }
    const added = await addWebhook(env.DB, { webhookLoopback: true, tokenKeys: keys }, callerOf(user), body, time)
    expect(added.url).toBe('http://127.0.0.1:9000/hook')
    expect(await send('POST', '', body)).toMatchObject({ status: 400 })
  })
})

describe('the secret of a webhook', () => {
  const NEW: TokenKey = { secret: new Uint8Array(32).fill(9) }
  const stored = async () => {
    const { results } = await env.DB.prepare('SELECT id, secret FROM webhooks ORDER BY created_at, id').all<{
      id: string
      secret: string
    }>()
    return results
  }
  const store = (id: string, secret: string) =>
    env.DB.prepare('UPDATE webhooks SET secret = ? WHERE id = ?').bind(secret, id).run()
  /** Sends an event to the webhooks of the account; whether one of them got it signed by this secret. */
  const signs = async (secret: string) => {
    const before = sent.length
    await happen()
    await run()
    return sent.slice(before).some(({ body, headers }) => {
      try {
        new Webhook(secret).verify(body, headers)
        return true
      } catch {
        return false
      }
    })
  }
  const renew = () => renewSecrets({ db: env.DB, keys })

  it('W1: is nowhere in the database but sealed, each time in another way', async () => {
    const { secret, id } = await add()
    await add()
    const rows = await stored()
    expect(rows.map((row) => row.secret)).toEqual([1, 2].map(() => expect.stringMatching(/^v1\.[\w-]{8}\.[\w-]{104}$/)))
    const dump = JSON.stringify((await env.DB.prepare('SELECT * FROM webhooks').all()).results)
    expect(dump).not.toContain(secret.slice('whsec_'.length))
    await renew()
    expect(await stored()).toEqual(rows)
    expect(rows.some((row) => row.id === id)).toBe(true)
    expect(await signs(secret)).toBe(true)
  })

  it('is sealed anew by the first key of a rotated set, after which the old key can go', async () => {
    const { secret } = await add()
    const old = keys
    keys = [NEW, ...old]
    expect(await signs(secret)).toBe(true)
    await renew()
    keys = [NEW]
    expect(await signs(secret)).toBe(true)
  })

  it('is renewed of all webhooks, some hundred in a run', async () => {
    const { secret } = await add()
    const ids = Array.from({ length: 300 }, () => crypto.randomUUID())
    const insert = env.DB.prepare(
      "INSERT INTO webhooks (id, user_id, url, secret, types, created_at, made_by) VALUES (?, 'u', ?, ?, '[]', 0, 'login')",
    )
    const rows = ids.map(async (id) => insert.bind(id, URL, await sealSecret(keys, id, 'whsec_AAAA')))
    await env.DB.batch(await Promise.all(rows))
    keys = [NEW, ...keys]
    for (let runs = 0; runs < 2; runs++) await renew()
    keys = [NEW]
    const opened = await Promise.all((await stored()).map((row) => openSecret(keys, row.id, row.secret)))
    expect(opened.filter((one) => one === undefined)).toEqual([])
    expect(await signs(secret)).toBe(true)
  })

  it('W1: of another webhook, moved here by whoever writes the database, signs nothing', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await add()
    const [{ id, secret: sealed } = { id: '', secret: '' }] = await stored()
    const other = await signIn()
    await addWebhook(env.DB, { webhookLoopback: false, tokenKeys: keys }, callerOf(other), { url: URL }, time + 1)
    const theirs = (await stored()).find((row) => row.id !== id)
    await store(id, theirs?.secret ?? '')
    expect(await signs('whsec_AAAA')).toBe(false)
    expect(log).toHaveBeenCalledWith('webhook_secret_unreadable', id)
    expect((await only())?.problem).toContain('can no longer be read')
    await store(id, sealed)
    await renew()
    expect((await stored()).find((row) => row.id === id)?.secret).toBe(sealed)
    log.mockRestore()
  })

  it('that no key of the set sealed stops no other webhook, and comes back with its key', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const lost = await add()
    const old = keys
    keys = [NEW]
    const { secret } = await add()
    await happen()
    await run()
    expect(sent).toHaveLength(1)
    new Webhook(secret).verify(sent[0]?.body ?? '', sent[0]?.headers ?? {})
    await renew()
    keys = [NEW, ...old]
    time += 5 * MINUTE
    await run()
    expect(sent).toHaveLength(2)
    new Webhook(lost.secret).verify(sent[1]?.body ?? '', sent[1]?.headers ?? {})
    log.mockRestore()
  })
})
