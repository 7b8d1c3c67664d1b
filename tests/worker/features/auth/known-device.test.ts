import { env } from 'cloudflare:test'
import crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { redeemReset } from '../../../../worker/features/accounts/follow-link.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addTokens, addUser, logInQuickly, PASSWORD } from '../../sign-in.ts'
import { tokenOf } from '../accounts/post-form.ts'
import { sha256 } from './sha256.ts'

const NOW = Date.UTC(2027, 0, 1, 12)
const DAY = 86_400_000
const WRONG = 'Incorrect1'

beforeEach(async () => {
  vi.setSystemTime(NOW)
  await env.DB.prepare('DELETE FROM attempts').run()
})
afterEach(() => vi.useRealTimers())

const logIn = (email: string, device?: string, password = PASSWORD, ip = '192.0.2.1') =>
  fetchApi('POST', '/v0/token', {
    body: { email, password },
    headers: { 'CF-Connecting-IP': ip, ...(device === undefined ? {} : { 'Hookline-Device': device }) },
  })
/** Failures of strangers, from many networks. */
async function strangersFail(email: string, count = 100) {
  const insert = env.DB.prepare("INSERT INTO attempts (id, kind, address, client, at) VALUES (?, 'login', ?, ?, ?)")
  const rows = Array.from({ length: count }, (_, n) =>
    insert.bind(crypto.randomUUID(), sha256(email), `198.51.100.${n % 25}`, NOW),
  )
  await env.DB.batch(rows)
}

describe('a known device', () => {
  it('logs in while strangers use up the failures of the email address, also by a token that has expired', async () => {
    const { email, refreshToken, userId } = await logInQuickly('user', NOW - 89 * DAY)
    await strangersFail(email)
    expect((await logIn(email)).status).toBe(429)
    expect((await logIn(email, refreshToken)).status).toBe(200)
    const { refreshToken: other } = await addTokens(userId, NOW - 91 * DAY)
    expect((await logIn(email, other)).status).toBe(429)
  })

  it('has five failures of its own, and those are not the email address’s', async () => {
    const { email, refreshToken } = await logInQuickly()
    for (let failure = 0; failure < 5; failure++) {
      expect((await logIn(email, refreshToken, WRONG, `192.0.2.${failure}`)).status).toBe(401)
    }
    const refused = await logIn(email, refreshToken, PASSWORD, '192.0.2.77')
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'too_many_requests' }])
    expect((await logIn(email, undefined, PASSWORD, '192.0.2.77')).status).toBe(200)
  })

  it('is still held to the limits of its network', async () => {
    const { email, refreshToken } = await logInQuickly()
    await env.DB.prepare("UPDATE attempts SET client = '192.0.2.1'").run()
    const insert = env.DB.prepare("INSERT INTO attempts (id, kind, address, client, at) VALUES (?, 'login', ?, ?, ?)")
    await env.DB.batch(Array.from({ length: 20 }, (_, n) => insert.bind(crypto.randomUUID(), `${n}`, '192.0.2.1', NOW)))
    expect((await logIn(email, refreshToken)).status).toBe(429)
  })

  it('is none of another account, after a reset, by another kind of token, or by no token of ours', async () => {
    const { email, refreshToken, accessToken, userId } = await logInQuickly()
    const other = await logInQuickly()
    await strangersFail(email)
    for (const device of [other.refreshToken, accessToken, 'x', `${refreshToken}x`, '']) {
      expect((await logIn(email, device)).status).toBe(429)
    }
    expect((await logIn(email, refreshToken)).status).toBe(200)
    await env.DB.prepare(
      "INSERT INTO mail_links (jti, user_id, kind, created_at, expires_at) VALUES ('link', ?, 'reset', ?, ?)",
    )
      .bind(userId, NOW, NOW + DAY)
      .run()
    const { password_hash: passwordHash } = (await env.DB.prepare('SELECT password_hash FROM users WHERE id = ?')
      .bind(userId)
      .first<{ password_hash: string }>()) ?? { password_hash: '' }
    const link = { jti: 'link', userId, kind: 'reset', createdAt: NOW, expiresAt: NOW + DAY } as const
    expect(await redeemReset(env.DB, link, { passwordHash, verifiedStatus: 1, address: 'nobody' }, NOW)).toBe(true)
    expect((await logIn(email, refreshToken)).status).toBe(429)
  })

  it('is what changes the password and closes the account while strangers fail', async () => {
    const { email, accessToken, refreshToken } = await logInQuickly()
    await strangersFail(email)
    const body = { password: PASSWORD, newPassword: 'Another1' }
    expect((await fetchApi('PUT', '/v0/user', { token: accessToken, body })).status).toBe(200)
    const { accessToken: token } = await (await fetchApi('PUT', '/v0/token', { body: { token: refreshToken } })).json<{
      accessToken: string
    }>()
    expect((await fetchApi('DELETE', '/v0/user', { token, body: { password: 'Another1' } })).status).toBe(204)
  })

  it('is the browser that the console’s cookie is in', async () => {
    const { email } = await addUser()
    const own = { 'Sec-Fetch-Site': 'same-origin', 'CF-Connecting-IP': '192.0.2.1' }
    const enter = (cookie?: string) =>
      fetchApi('POST', '/console/session', {
        headers: cookie === undefined ? own : { ...own, Cookie: cookie },
        body: { email, password: PASSWORD },
      })
    const cookie = ((await enter()).headers.get('Set-Cookie') ?? '').split(';')[0]
    await strangersFail(email)
    vi.setSystemTime(NOW + 600_000)
    expect((await enter()).status).toBe(429)
    expect((await enter(cookie)).status).toBe(200)
  })
})

describe('mails to one mailbox', () => {
  const reset = (email: string, ip: string) =>
    fetchApi('POST', '/v0/user/password/send', { body: { email }, headers: { 'CF-Connecting-IP': ip } })

  it('go out for a reset once an hour above the daily count, whoever asks, and keep nobody from signing up', async () => {
    openOutbox()
    const { email } = await addUser()
    for (let n = 0; n < 30; n++) expect((await reset(email, `192.0.2.${n}`)).status).toBe(202)
    expect((await reset(email, '192.0.2.40')).status).toBe(202)
    const refused = await reset(email, '192.0.2.41')
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '3600'])
    vi.setSystemTime(NOW + 3_600_000 - 1)
    expect((await reset(email, '192.0.2.42')).status).toBe(429)
    vi.setSystemTime(NOW + 3_600_000)
    expect((await reset(email, '192.0.2.43')).status).toBe(202)
    const body = { email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' }
    expect((await fetchApi('POST', '/v0/user', { body, headers: { 'CF-Connecting-IP': '192.0.2.44' } })).status).toBe(
      201,
    )
    vi.restoreAllMocks()
  })

  it('leave its owner the link of a new password where strangers signed up with it 30 times', async () => {
    const outbox = openOutbox()
    const email = `${crypto.randomUUID()}@example.com`
    const signUp = (ip: string) => {
      const body = { email, password: 'Strangers1', firstName: 'Eve', lastName: 'Lovelace' }
      return fetchApi('POST', '/v0/user', { body, headers: { 'CF-Connecting-IP': ip } })
    }
    for (let n = 0; n < 30; n++) expect((await signUp(`192.0.2.${n}`)).status).toBe(201)
    const refused = await signUp('192.0.2.40')
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('ask for a new password instead') })
    const before = outbox.requests.length
    expect((await reset(email, '192.0.2.40')).status).toBe(202)
    await vi.waitFor(() => expect(outbox.requests.length).toBeGreaterThan(before), { timeout: 60_000 })
    const body = { token: tokenOf(outbox.lastLink(email)), password: PASSWORD }
    expect((await fetchApi('PUT', '/v0/user/password', { body })).status).toBe(200)
    expect((await logIn(email)).status).toBe(200)
    vi.restoreAllMocks()
  })
})
