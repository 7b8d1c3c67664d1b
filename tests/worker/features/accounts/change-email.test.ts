import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sweepAccounts } from '../../../../worker/features/accounts/sweep-accounts.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addUser, logInQuickly, PASSWORD } from '../../sign-in.ts'
import { postForm, tokenOf } from './post-form.ts'

const NOW = Date.UTC(2027, 0, 1, 12)

describe('changing the address of an account', () => {
  let outbox: ReturnType<typeof openOutbox>
  let user: Awaited<ReturnType<typeof logInQuickly>>
  /** The new address, of one test alone: so are its mailbox and its count. */
  let fresh: string
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    outbox = openOutbox()
    user = await logInQuickly()
    fresh = `new-${user.email}`
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  const ask = (email: string, password = PASSWORD) =>
    fetchApi('POST', '/v0/user/email/send', { token: user.accessToken, body: { email, password } })
  const logIn = async (email: string) =>
    (await fetchApi('POST', '/v0/token', { body: { email, password: PASSWORD } })).status
  const confirm = (token: string, password = PASSWORD) => postForm('/v0/user/email', { token, password })
  const subjects = (to: string) => outbox.mails.filter((mail) => mail.to === to).map(({ subject }) => subject)
  /** Sends what waits, which the answer does not wait for either. */
  const deliver = () => sweepAccounts(env.DB, readConfig(env), Date.now())
  async function mailedToken(): Promise<string> {
    expect((await ask(fresh)).status).toBe(202)
    await vi.waitFor(() => expect(subjects(fresh)).not.toEqual([]), { timeout: 60_000 })
    return tokenOf(outbox.lastLink(fresh))
  }

  it('mails a link to the new address and tells the one until now, and changes nothing before it is confirmed', async () => {
    const token = await mailedToken()
    await deliver()
    expect(subjects(fresh)).toEqual(['Confirm your new email address'])
    expect(subjects(user.email)).toEqual(['A new email address was asked for'])
    expect(outbox.mails.find(({ to }) => to === user.email)?.text).toContain(fresh)
    const page = await fetchApi('GET', outbox.lastLink(fresh))
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(fresh)
    expect([await logIn(user.email), await logIn(fresh)]).toEqual([200, 401])

    expect((await confirm(token)).status).toBe(200)
    expect([await logIn(user.email), await logIn(fresh)]).toEqual([401, 200])
    const profile = await fetchApi('GET', '/v0/user', { token: user.accessToken })
    expect(await profile.json()).toMatchObject({ id: user.userId, email: fresh })
    await deliver()
    expect(subjects(user.email)).toEqual(['A new email address was asked for', 'Your email address was changed'])
    const log = await fetchApi('GET', '/v0/audit', { token: user.accessToken })
    expect((await log.json<{ entries: { act: string }[] }>()).entries.map(({ act }) => act)).toContain('email.changed')
  })

  it('asks on the page again for a wrong password, which leaves the link, and takes a link once', async () => {
    const token = await mailedToken()
    const wrong = await confirm(token, 'Incorrect1')
    expect(wrong.status).toBe(401)
    expect(await wrong.text()).toContain('name="password"')
    expect(await logIn(user.email)).toBe(200)
    expect((await confirm(token)).status).toBe(200)
    expect((await confirm(token)).status).toBe(400)
  })

  it('refuses a wrong password, and the address that the account has', async () => {
    const wrong = await ask(fresh, 'Incorrect1')
    expect([wrong.status, await wrong.json()]).toMatchObject([403, { code: 'wrong_password' }])
    const same = await ask(user.email)
    expect([same.status, await same.json()]).toMatchObject([
      400,
      { code: 'invalid_field', message: expect.stringContaining('email') },
    ])
    const bad = await ask('nobody')
    expect(bad.status).toBe(400)
    await deliver()
    expect([subjects(fresh), subjects(user.email)]).toEqual([[], []])
  })

  it.each([
    ['an account', 1],
    ['a closed account', 0],
  ])('answers the same for the address of %s, which gets a mail and keeps it', async (_, status) => {
    const other = await addUser({ status })
    const [taken, free] = [await ask(other.email), await ask(fresh)]
    expect([taken.status, await taken.text()]).toEqual([free.status, await free.text()])
    await deliver()
    expect(subjects(other.email)).toEqual(['This address has an account'])
    const subject = 'A new email address was asked for'
    expect(subjects(user.email)).toEqual([subject, subject])
    const { results } = await env.DB.prepare('SELECT email FROM mail_links WHERE user_id = ?').bind(user.userId).all()
    expect(results).toEqual([{ email: fresh }])
  })

  it('takes no address that got an account after the link was mailed', async () => {
    const token = await mailedToken()
    await addUser({ email: fresh })
    expect((await confirm(token)).status).toBe(400)
    expect(await logIn(user.email)).toBe(200)
  })

  it('takes the place of a sign-up with the address that was never verified', async () => {
    await fetchApi('POST', '/v0/user', { body: { email: fresh, password: 'Another1', firstName: 'A', lastName: 'B' } })
    await vi.waitFor(() => expect(subjects(fresh)).toEqual(['Confirm your email address']), { timeout: 60_000 })
    const signUp = tokenOf(outbox.lastLink(fresh))
    expect((await ask(fresh)).status).toBe(202)
    await vi.waitFor(() => expect(subjects(fresh)).toHaveLength(2), { timeout: 60_000 })
    expect((await confirm(tokenOf(outbox.lastLink(fresh)))).status).toBe(200)
    expect(await logIn(fresh)).toBe(200)
    expect((await postForm('/v0/user/verify', { token: signUp, password: 'Another1' })).status).toBe(400)
  })

  it('voids the link by a later request, by another password and after a day', async () => {
    const first = await mailedToken()
    outbox.mails.length = 0
    const second = await mailedToken()
    expect((await confirm(first)).status).toBe(400)
    const change = { password: PASSWORD, newPassword: 'Changed1' }
    expect((await fetchApi('PUT', '/v0/user', { token: user.accessToken, body: change })).status).toBe(200)
    expect((await confirm(second, 'Changed1')).status).toBe(400)

    user = await logInQuickly()
    outbox.mails.length = 0
    const third = await mailedToken()
    vi.setSystemTime(NOW + 86_400_000)
    expect((await confirm(third)).status).toBe(400)
  })

  it('voids the links that were mailed to the address until now', async () => {
    await fetchApi('POST', '/v0/user/password/send', { body: { email: user.email } })
    await vi.waitFor(() => expect(subjects(user.email)).toHaveLength(1), { timeout: 60_000 })
    const reset = tokenOf(outbox.lastLink(user.email))
    expect((await confirm(await mailedToken())).status).toBe(200)
    const answer = await fetchApi('PUT', '/v0/user/password', { body: { token: reset, password: 'Stolen1x' } })
    expect(answer.status).toBe(400)
  })

  it('is limited: ten a day of one client, for the address until now too', async () => {
    for (let n = 0; n < 10; n++) expect((await ask(`${n}-${user.email}`)).status).toBe(202)
    const answer = await ask(`10-${user.email}`)
    expect([answer.status, await answer.json()]).toMatchObject([429, { code: 'too_many_requests' }])
  })

  it('takes no API key', async () => {
    const answer = await fetchApi('POST', '/v0/user/email/send', { body: { email: fresh, password: PASSWORD } })
    expect(answer.status).toBe(401)
  })
})
