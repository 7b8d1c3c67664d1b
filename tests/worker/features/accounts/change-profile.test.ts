import { describe, expect, it } from 'vitest'
import { fetchApi } from '../../fetch-api.ts'
import { addTokens, logInQuickly, PASSWORD } from '../../sign-in.ts'

const NEW = 'Another1'
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const put = (token: string, body: unknown) => fetchApi('PUT', '/v0/user', { body, headers: bearer(token) })

describe('PUT /v0/user', () => {
  it('changes the names, one of them or both', async () => {
    const { accessToken } = await logInQuickly()
    const changed = await put(accessToken, { firstName: ' Grace ' })
    expect([changed.status, await changed.json()]).toEqual([
      200,
      expect.objectContaining({ firstName: 'Grace', lastName: 'Lovelace', balances: expect.anything() }),
    ])
    expect(await (await put(accessToken, { firstName: 'A', lastName: 'B' })).json()).toMatchObject({
      firstName: 'A',
      lastName: 'B',
    })
  })

  it('sets the language of mails and console, keeps it when something else is changed, and unsets it by null', async () => {
    const { accessToken } = await logInQuickly()
    const spoken = async (body: unknown) =>
      (await (await put(accessToken, body)).json<{ language: unknown }>()).language
    expect(await spoken({ firstName: 'Ada' })).toBeNull()
    expect(await spoken({ language: 'de' })).toBe('de')
    expect(await spoken({ buyer: 'Ada' })).toBe('de')
    expect((await put(accessToken, { language: 'fr' })).status).toBe(400)
    expect(await spoken({ language: null })).toBeNull()
  })

  it('changes the password by the one until now: other sessions and all access tokens end, this session goes on', async () => {
    const { userId, email, accessToken, refreshToken } = await logInQuickly()
    const other = await addTokens(userId)
    expect((await put(accessToken, { password: PASSWORD, newPassword: NEW })).status).toBe(200)
    expect((await fetchApi('GET', '/v0/user', { headers: bearer(accessToken) })).status).toBe(401)
    expect((await fetchApi('PUT', '/v0/token', { body: { token: other.refreshToken } })).status).toBe(401)
    const renewed = await fetchApi('PUT', '/v0/token', { body: { token: refreshToken } })
    const { accessToken: fresh } = await renewed.json<{ accessToken: string }>()
    expect((await fetchApi('GET', '/v0/user', { headers: bearer(fresh) })).status).toBe(200)
    expect((await fetchApi('POST', '/v0/token', { body: { email, password: PASSWORD } })).status).toBe(401)
    expect((await fetchApi('POST', '/v0/token', { body: { email, password: NEW } })).status).toBe(200)
  })

  it('changes the password once when that is asked for twice at once; the token of the other has ended', async () => {
    const { accessToken } = await logInQuickly()
    const answers = await Promise.all([1, 2].map(() => put(accessToken, { password: PASSWORD, newPassword: NEW })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('refuses a wrong password and changes nothing', async () => {
    const { email, accessToken } = await logInQuickly()
    const refused = await put(accessToken, { password: 'Wrong123', newPassword: NEW })
    expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ code: 'wrong_password' })])
    expect((await fetchApi('GET', '/v0/user', { headers: bearer(accessToken) })).status).toBe(200)
    expect((await fetchApi('POST', '/v0/token', { body: { email, password: PASSWORD } })).status).toBe(200)
  })

  it.each([
    {},
    { firstName: '' },
    { lastName: 7 },
    { password: PASSWORD },
    { newPassword: NEW },
    { password: PASSWORD, newPassword: 'short' },
    { password: PASSWORD, newPassword: NEW, firstName: 'Ada' },
  ])('refuses %j, naming a field', async (body) => {
    const { accessToken } = await logInQuickly()
    const refused = await put(accessToken, body)
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ code: 'invalid_field' })])
  })
})

it('GET /v0/user/sessions says which session is the one that asks', async () => {
  const { userId, accessToken } = await logInQuickly()
  await addTokens(userId)
  const { sessions } = await (await fetchApi('GET', '/v0/user/sessions', { headers: bearer(accessToken) })).json<{
    sessions: { current: boolean }[]
  }>()
  expect(sessions.map(({ current }) => current).sort()).toEqual([false, true])
})
