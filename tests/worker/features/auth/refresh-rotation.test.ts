import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deliverDueMails } from '../../../../worker/features/accounts/deliver-mail.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { runSql } from '../../rows.ts'
import { addUser, logInQuickly, PASSWORD } from '../../sign-in.ts'
import { decode } from './forge-token.ts'

const NOW = 1_900_000_000_000
const GRACE = 30_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => vi.useRealTimers())

async function renew(token: string, body: { rotate?: boolean } = { rotate: true }) {
  const response = await fetchApi('PUT', '/v0/token', { body: { token, ...body } })
  const { accessToken = '', refreshToken = '' } = await response.json<{ accessToken?: string; refreshToken?: string }>()
  return { status: response.status, accessToken, refreshToken }
}

const sessions = async (userId: string) => (await runSql('SELECT jti FROM sessions WHERE user_id = ?', userId)).length

describe('PUT /v0/token with rotate', () => {
  it('answers another refresh token of the same session, until the same time, and its access tokens are of that session', async () => {
    const { refreshToken, userId } = await logInQuickly()
    vi.setSystemTime(NOW + 60_000)
    const renewed = await renew(refreshToken)
    const before = decode(refreshToken).payload
    const { payload } = decode(renewed.refreshToken)
    expect(renewed.status).toBe(201)
    expect(payload).toMatchObject({ session: before.jti, generation: 1, exp: before.exp, auth_time: before.auth_time })
    expect(payload.jti).not.toBe(before.jti)
    const again = await renew(renewed.refreshToken)
    expect(decode(again.accessToken).payload.session).toBe(before.jti)
    expect(decode(again.refreshToken).payload.generation).toBe(2)
    expect(await sessions(userId)).toBe(1)
    const listed = await fetchApi('GET', '/v0/user/sessions', { token: again.accessToken })
    expect(await listed.json()).toMatchObject({ sessions: [{ jti: before.jti, current: true }] })
  })

  it('goes on after an answer that was lost: the one before is good until 30 seconds after the first use of the new one', async () => {
    const { refreshToken } = await logInQuickly()
    await renew(refreshToken)
    vi.setSystemTime(NOW + 3_600_000)
    const { refreshToken: second } = await renew(refreshToken)
    expect(decode(second).payload.generation).toBe(1)
    await renew(second)
    vi.setSystemTime(NOW + 3_600_000 + GRACE - 1)
    expect((await renew(refreshToken)).status).toBe(201)
  })

  it('A27: ends the session when a replaced one is used later, once in the log and by one mail; no successor lives on', async () => {
    const outbox = openOutbox()
    const { refreshToken, userId, email } = await logInQuickly()
    const { refreshToken: second } = await renew(refreshToken)
    const { refreshToken: third } = await renew(second)
    vi.setSystemTime(NOW + GRACE)
    expect((await renew(refreshToken, {})).status).toBe(401)
    expect(await Promise.all([refreshToken, second, third].map(async (token) => (await renew(token)).status))).toEqual([
      ...[401, 401, 401],
    ])
    expect(await sessions(userId)).toBe(0)
    await deliverDueMails(env.DB, readConfig(env), NOW + GRACE)
    const mails = outbox.mails.filter(({ to }) => to === email)
    expect(mails.map(({ subject }) => subject)).toEqual(['A session of yours was ended'])
    const results = await runSql("SELECT actor, reason FROM audit WHERE account = ? AND act = 'session.ended'", userId)
    expect(results).toEqual([{ actor: 'service', reason: 'a refresh token was used that had been replaced' }])
  })

  it('A28: 50 at once all go on with the same generation', async () => {
    const { refreshToken } = await logInQuickly()
    const answers = await Promise.all(Array.from({ length: 50 }, () => renew(refreshToken)))
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201))
    expect(new Set(answers.map((answer) => decode(answer.refreshToken).payload.generation))).toEqual(new Set([1]))
  })

  it('is for who asks for it: without rotate nothing is replaced', async () => {
    const { refreshToken } = await logInQuickly()
    for (const body of [{}, { rotate: false }]) {
      expect(await renew(refreshToken, body)).toMatchObject({ status: 201, refreshToken: '' })
    }
    expect((await fetchApi('PUT', '/v0/token', { body: { token: refreshToken, rotate: 'yes' } })).status).toBe(400)
  })

  it('gives tokens that DELETE and PATCH take', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    const { refreshToken: second } = await renew(refreshToken)
    const extended = await fetchApi('PATCH', '/v0/token', { token: accessToken, body: { token: second, exp: 600 } })
    expect(extended.status).toBe(201)
    const revoked = await fetchApi('DELETE', '/v0/token', { token: accessToken, body: { token: second } })
    expect(revoked.status).toBe(204)
    expect((await renew(refreshToken)).status).toBe(401)
  })
})

describe('the cookie of the console', () => {
  it('has another refresh token after each renewal, and the copy of an old one ends the session', async () => {
    const { email } = await addUser()
    const own = { 'Sec-Fetch-Site': 'same-origin' }
    const cookieOf = (response: Response) => (response.headers.get('Set-Cookie') ?? '').split(';')[0] ?? ''
    const login = await fetchApi('POST', '/console/session', { headers: own, body: { email, password: PASSWORD } })
    const first = cookieOf(login)
    const put = (cookie: string) => fetchApi('PUT', '/console/session', { headers: { ...own, Cookie: cookie } })
    const second = cookieOf(await put(first))
    const third = cookieOf(await put(second))
    expect(new Set([first, second, third]).size).toBe(3)
    vi.setSystemTime(NOW + GRACE)
    expect((await put(first)).status).toBe(401)
    expect((await put(third)).status).toBe(401)
  })
})

describe('PATCH /v0/token for more than 30 days', () => {
  it('needs a login of the last ten minutes', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    const extend = (exp: number) =>
      fetchApi('PATCH', '/v0/token', { token: accessToken, body: { token: refreshToken, exp } })
    vi.setSystemTime(NOW + 600_000)
    expect((await extend(30 * 86_400 + 1)).status).toBe(201)
    vi.setSystemTime(NOW + 601_000)
    const refused = await extend(30 * 86_400 + 1)
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'login_too_old' }])
    expect((await extend(30 * 86_400)).status).toBe(201)
  })
})
