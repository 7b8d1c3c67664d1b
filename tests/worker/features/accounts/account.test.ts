import { createExecutionContext, env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { closeUser } from '../../../../worker/features/accounts/close-account.ts'
import { selectUser } from '../../../../worker/features/auth/sql/users.ts'
import { selectWebhooks } from '../../../../worker/features/events/sql/webhooks.ts'
import { insertLedgerStatement } from '../../../../worker/features/payments/sql/ledger.ts'
import {
  discardDepositAddressStatement,
  insertAddressStatement,
} from '../../../../worker/features/transactions/sql/addresses.ts'
import worker from '../../../../worker/index.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addUser, logInQuickly, PASSWORD, signIn } from '../../sign-in.ts'
import { tokenOf } from './post-form.ts'

describe('an account', () => {
  it('is shown to its owner, without the hash', async () => {
    const { token, userId, email } = await signIn()
    const response = await fetchApi('GET', '/v0/user', { token })
    expect(response.status).toBe(200)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const permissions = [{ name: 'store' }, { name: 'pay' }]
    const profile = await response.json()
    expect(profile).toMatchObject({
      id: userId,
      email,
      firstName: 'Ada',
      lastName: 'Lovelace',
      role: { name: 'user', permissions },
      permissions,
      status: 1,
      createdAt: expect.any(Number),
    })
    expect(JSON.stringify(profile)).not.toContain('scrypt')
  })

  it('is shown with what it can spend, digit for digit, and where money for it goes', async () => {
    const { token, userId } = await signIn()
    const profile = async () => await (await fetchApi('GET', '/v0/user', { token })).text()
    const empty = { Nativecoin: 0, Dogecoin: 0, Bitcoin: 0 }
    const none = { Nativecoin: null, Dogecoin: null, Bitcoin: null }
    expect(JSON.parse(await profile())).toMatchObject({ balances: empty, addresses: none })

    const credit = { amount: 9_007_199_254_740_993n, cause: crypto.randomUUID() }
    const account = { userId, blockchain: 'Dogecoin' } as const
    await env.DB.batch([
      insertLedgerStatement(env.DB, account, { seq: 0, balance: 0n }, [credit], 1),
      insertAddressStatement(env.DB, { ...account, address: 'D-first', script: '00', kind: 'deposit' }, 1),
      discardDepositAddressStatement(env.DB, userId, 'Dogecoin'),
      insertAddressStatement(env.DB, { ...account, address: 'D-second', script: '01', kind: 'deposit' }, 2),
    ])
    expect(JSON.parse(await profile())).toMatchObject({ addresses: { ...none, Dogecoin: 'D-second' } })
    expect(await profile()).toContain('"Dogecoin":90071992.54740993')
  })

  it('is shown to nobody without a token', async () => {
    const response = await fetchApi('GET', '/v0/user')
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  it('is closed by its password, which ends every token of it and is final', async () => {
    const { accessToken, refreshToken, email } = await logInQuickly()
    const close = (password: unknown) => fetchApi('DELETE', '/v0/user', { token: accessToken, body: { password } })
    const refused = await close('Incorrect1')
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'wrong_password' })
    expect((await close(undefined)).status).toBe(400)
    expect((await close(PASSWORD)).status).toBe(204)
    expect((await fetchApi('GET', '/v0/user', { token: accessToken })).status).toBe(401)
    expect((await fetchApi('PUT', '/v0/token', { body: { token: refreshToken } })).status).toBe(401)
    expect((await fetchApi('POST', '/v0/token', { body: { email, password: PASSWORD } })).status).toBe(404)
    expect((await fetchApi('POST', '/v0/token', { body: { email, password: 'Incorrect1' } })).status).toBe(401)
  })

  it('takes its webhooks with it when it is closed, and keeps them when it changed meanwhile and is not', async () => {
    const [first, second] = [await logInQuickly(), await logInQuickly()]
    const body = { url: 'https://shop.example.com/hook' }
    for (const { accessToken: token } of [first, second]) {
      expect((await fetchApi('POST', '/v0/webhook', { token, body })).status).toBe(201)
    }
    const [one, other] = [await selectUser(env.DB, first.userId), await selectUser(env.DB, second.userId)]
    if (!one || !other) throw new Error('There is no such user.')
    expect(await closeUser(env.DB, one, Date.now())).toBe(true)
    expect(await closeUser(env.DB, { ...other, tokenEpoch: other.tokenEpoch + 1 }, Date.now())).toBe(false)
    const left = async ({ id }: { id: string }) => (await selectWebhooks(env.DB, id, Date.now())).length
    expect([await left(one), await left(other)]).toEqual([0, 1])
  })

  it('is closed once when that is asked for twice at once; the token of the other has ended', async () => {
    const { accessToken } = await logInQuickly()
    const close = () => fetchApi('DELETE', '/v0/user', { token: accessToken, body: { password: PASSWORD } })
    const answers = await Promise.all([close(), close()])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401])
  })

  it('cannot have its password guessed with a stolen access token', async () => {
    const { accessToken } = await logInQuickly()
    const guess = () => fetchApi('DELETE', '/v0/user', { token: accessToken, body: { password: 'Incorrect1' } })
    for (let time = 0; time < 5; time++) expect((await guess()).status).toBe(403)
    expect((await guess()).status).toBe(429)
  })
})

describe('the identity check', () => {
  beforeEach(async () => {
    await env.DB.prepare('DELETE FROM mail_links').run()
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('makes new users wait after their mail when it is manual, until somebody with permission confirms', async () => {
    const outbox = openOutbox()
    const user = await addUser({ status: 2 })
    await fetchApi('POST', '/v0/user/verify/send', { body: { email: user.email } })
    await vi.waitFor(() => expect(outbox.mails).toHaveLength(1), { timeout: 60_000 })
    const form = new Request<unknown, IncomingRequestCfProperties>('https://api.example/v0/user/verify', {
      method: 'POST',
      body: new URLSearchParams({ token: tokenOf(outbox.lastLink(user.email)), password: PASSWORD }),
    })
    const page = await worker.fetch(form, { ...env, IDENTITY_CHECK: 'manual' }, createExecutionContext())
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('identity')
    const logIn = () => fetchApi('POST', '/v0/token', { body: { email: user.email, password: PASSWORD } })
    expect((await logIn()).status).toBe(201)

    const admin = await signIn('admin')
    const confirm = () =>
      fetchApi('PUT', `/v0/user/${user.userId}/identity`, { token: admin.token, body: { verified: true } })
    expect((await confirm()).status).toBe(204)
    expect((await confirm()).status).toBe(204)
    expect((await logIn()).status).toBe(200)
  })

  it('is refused without the permission, with a wrong body, for nobody, and for who does not wait', async () => {
    const waiting = await addUser({ status: 3 })
    const closed = await addUser({ status: 0 })
    const admin = await signIn('admin')
    const user = await signIn()
    const put = (token: string | undefined, id: string, body: unknown) =>
      fetchApi('PUT', `/v0/user/${id}/identity`, { token, body })
    expect((await put(undefined, waiting.userId, { verified: true })).status).toBe(401)
    expect((await put(user.token, waiting.userId, { verified: true })).status).toBe(403)
    for (const verified of [false, 'true', 1, undefined]) {
      expect((await put(admin.token, waiting.userId, { verified })).status).toBe(400)
    }
    expect((await put(admin.token, crypto.randomUUID(), { verified: true })).status).toBe(404)
    expect((await put(admin.token, closed.userId, { verified: true })).status).toBe(409)
    const login = { email: waiting.email, password: PASSWORD }
    expect((await fetchApi('POST', '/v0/token', { body: login })).status).toBe(201)
  })
})

describe('the list of accounts', () => {
  it('shows those of a status to who may see them', async () => {
    const waiting = await addUser({ status: 3 })
    await addUser({ status: 1 })
    const admin = await signIn('admin')
    const user = await signIn()
    expect((await fetchApi('GET', '/v0/users?status=3')).status).toBe(401)
    expect((await fetchApi('GET', '/v0/users?status=3', { token: user.token })).status).toBe(403)
    const response = await fetchApi('GET', '/v0/users?status=3', { token: admin.token })
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).not.toContain('scrypt')
    const { users }: { users: { id: string; status: number }[] } = JSON.parse(text)
    expect(users.map(({ status }) => status).every((status) => status === 3)).toBe(true)
    expect(users.map(({ id }) => id)).toContain(waiting.userId)
  })

  it('comes in pages that miss nobody and repeat nobody', async () => {
    const admin = await signIn('admin')
    const insert = env.DB.prepare(
      `INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at)
       VALUES (?1, ?1 || '@example.com', 'x', 'A', 'B', 1, 5)`,
    )
    await env.DB.batch(Array.from({ length: 230 }, () => insert.bind(crypto.randomUUID())))
    const expected = await env.DB.prepare('SELECT COUNT(*) AS n FROM users').first<{ n: number }>()
    const seen: string[] = []
    let query = ''
    for (let page = 0; page < 5; page++) {
      const response = await fetchApi('GET', `/v0/users${query}`, { token: admin.token })
      const { users, cursor } = await response.json<{ users: { id: string }[]; cursor: string | null }>()
      seen.push(...users.map(({ id }) => id))
      if (cursor === null) break
      query = `?cursor=${cursor}`
    }
    expect(seen).toHaveLength(expected?.n ?? 0)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it.each(['status=4', 'status=', 'status=x', 'cursor=x', "cursor=1.' OR 1=1 --"])(
    'is a 400 with %s',
    async (query) => {
      const { token } = await signIn('admin')
      const response = await fetchApi('GET', `/v0/users?${query}`, { token })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'invalid_field' })
    },
  )
})
