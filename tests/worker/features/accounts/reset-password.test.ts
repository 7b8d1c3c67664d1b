import { env } from 'cloudflare:test'
import crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addTokens, addUser, logInQuickly, PASSWORD } from '../../sign-in.ts'
import { postForm, tokenOf } from './post-form.ts'

const NOW = Date.UTC(2027, 0, 1, 12)

describe('resetting a password', () => {
  let outbox: ReturnType<typeof openOutbox>
  beforeEach(() => {
    vi.setSystemTime(NOW)
    outbox = openOutbox()
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  const send = (email: string) => fetchApi('POST', '/v0/user/password/send', { body: { email } })
  const logIn = (email: string, password: string) => fetchApi('POST', '/v0/token', { body: { email, password } })
  const reset = (token: string, password: unknown = 'Changed1') =>
    fetchApi('PUT', '/v0/user/password', { body: { token, password } })
  /** Asks for a link and takes its token out of the mail. */
  async function mailedToken(email: string): Promise<string> {
    const before = outbox.mails.length
    expect((await send(email)).status).toBe(202)
    await vi.waitFor(() => expect(outbox.mails).toHaveLength(before + 1), { timeout: 60_000 })
    return tokenOf(outbox.lastLink(email))
  }

  it('A37: ends every session and every access token, also those of the same second, and no later one', async () => {
    const { email, userId, ...before } = await logInQuickly()
    const other = await addTokens(userId)
    const token = await mailedToken(email)
    expect((await reset(token)).status).toBe(200)
    for (const { accessToken, refreshToken } of [before, other]) {
      expect((await fetchApi('GET', '/v0/user', { token: accessToken })).status).toBe(401)
      expect((await fetchApi('PUT', '/v0/token', { body: { token: refreshToken } })).status).toBe(401)
    }
    expect((await logIn(email, PASSWORD)).status).toBe(401)
    const login = await logIn(email, 'Changed1')
    expect(login.status).toBe(200)
    const { accessToken } = await login.json<{ accessToken: string }>()
    expect((await fetchApi('GET', '/v0/user', { token: accessToken })).status).toBe(200)
  })

  it('works on the mailed page, which asks again when the password is too weak', async () => {
    const { email } = await addUser()
    const token = await mailedToken(email)
    const page = await fetchApi('GET', outbox.lastLink(email))
    expect(page.status).toBe(200)
    const weak = await postForm('/v0/user/password', { token, password: 'weak' })
    expect(weak.status).toBe(400)
    expect(await weak.text()).toContain('name="password"')
    expect((await postForm('/v0/user/password', { token, password: 'Changed1' })).status).toBe(200)
    expect((await logIn(email, 'Changed1')).status).toBe(200)
  })

  it('works once: of many at the same time one counts, and every other link of the account is void', async () => {
    const { email } = await addUser()
    const second = await mailedToken(email)
    const token = await mailedToken(email)
    const answers = await Promise.all(['First1x', 'Second1', 'Third1x'].map((password) => reset(token, password)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await reset(second)).status).toBe(400)
  })

  it('forgets the failed logins of the address', async () => {
    const { email } = await addUser()
    for (let failure = 0; failure < 5; failure++) await logIn(email, 'Incorrect1')
    expect((await logIn(email, PASSWORD)).status).toBe(429)
    await reset(await mailedToken(email))
    expect((await logIn(email, 'Changed1')).status).toBe(200)
  })

  it('proves the address of a pending account', async () => {
    const { email } = await addUser({ status: 2 })
    await reset(await mailedToken(email))
    expect((await logIn(email, 'Changed1')).status).toBe(200)
  })

  it('leaves an account that waits for its identity waiting', async () => {
    const { email } = await addUser({ status: 3 })
    await reset(await mailedToken(email))
    expect((await logIn(email, 'Changed1')).status).toBe(201)
  })

  it.each([
    ['empty', ''],
    ['garbage', 'a.b.c'],
  ])('is refused with 400 for a token that is %s, without a hash', async (_, token) => {
    const hashes = vi.spyOn(crypto, 'scryptSync')
    const response = await reset(token)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'link_invalid' })
    expect(hashes).not.toHaveBeenCalled()
  })

  it('is refused with an access token, a refresh token and a verification link', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    const pending = await addUser({ status: 2 })
    await fetchApi('POST', '/v0/user/verify/send', { body: { email: pending.email } })
    await vi.waitFor(() => expect(outbox.mails).toHaveLength(1), { timeout: 60_000 })
    const verification = tokenOf(outbox.lastLink(pending.email))
    for (const token of [accessToken, refreshToken, verification]) expect((await reset(token)).status).toBe(400)
  })

  it('is refused after 24 hours, and when the account was closed meanwhile', async () => {
    const { email, accessToken } = await logInQuickly()
    const closing = await mailedToken(email)
    await fetchApi('DELETE', '/v0/user', { token: accessToken, body: { password: PASSWORD } })
    expect((await reset(closing)).status).toBe(400)
    const other = await addUser()
    const late = await mailedToken(other.email)
    vi.setSystemTime(NOW + 86_400_000)
    expect((await reset(late)).status).toBe(400)
    expect((await logIn(other.email, PASSWORD)).status).toBe(200)
  })

  it.each(['password', 'verify'])('A17: a %s link is promised in the same words to every address', async (what) => {
    const answers = []
    for (const email of [
      `${crypto.randomUUID()}@example.com`,
      (await addUser()).email,
      (await addUser({ status: 2 })).email,
    ]) {
      const answer = await fetchApi('POST', `/v0/user/${what}/send`, { body: { email } })
      answers.push({ status: answer.status, headers: [...answer.headers], body: await answer.text() })
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  it('sends no mail to an address without an account, nor to a closed one', async () => {
    const unreachable = [`${crypto.randomUUID()}@example.com`, (await addUser({ status: 0 })).email]
    for (const email of unreachable) await send(email)
    await mailedToken((await addUser()).email)
    expect(outbox.mails.filter(({ to }) => unreachable.includes(to))).toEqual([])
    const waiting = await env.DB.prepare('SELECT COUNT(*) AS n FROM mails WHERE recipient IN (?, ?)')
      .bind(...unreachable)
      .first()
    expect(waiting).toEqual({ n: 0 })
  })
})
