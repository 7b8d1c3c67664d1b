import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchApi } from '../../../fetch-api.ts'
import { addTokens, addUser, logInQuickly, PASSWORD } from '../../../sign-in.ts'
import { decode } from '../forge-token.ts'

const NOW = Date.UTC(2027, 0, 1, 12)
const message = expect.stringMatching(/^[A-Z].*\.$/)

describe('/v0/token', () => {
  beforeEach(() => {
    vi.setSystemTime(NOW)
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  describe('POST logs in', () => {
    const logIn = (body: unknown) => fetchApi('POST', '/v0/token', { body })

    it('200: credentials valid, with an access token of 30 minutes and a refresh token of a day', async () => {
      const { email, userId } = await addUser()
      const response = await logIn({ email, password: PASSWORD })
      expect(response.status).toBe(200)
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      const tokens = await response.json<{ accessToken: string; refreshToken: string }>()
      expect(Object.keys(tokens)).toEqual(['accessToken', 'refreshToken'])

      const iat = NOW / 1000
      const permissions = [{ name: 'store' }, { name: 'pay' }]
      const claims = {
        email,
        firstName: 'Ada',
        lastName: 'Lovelace',
        role: { name: 'user', permissions },
        permissions,
        status: 1,
        sub: userId,
        jti: expect.stringMatching(/^[\w-]{22}$/),
        iat,
        auth_time: iat,
        epoch: 0,
        iss: 'https://api.example',
      }
      const access = decode(tokens.accessToken)
      expect(access.header).toEqual({ alg: 'HS256', typ: 'JWT' })
      const refresh = decode(tokens.refreshToken)
      // An access token names the session that it belongs to.
      const session = refresh.payload.jti
      expect(access.payload).toEqual({ ...claims, session, exp: iat + 1800, aud: 'https://api.example/v0' })
      expect(refresh.header).toEqual({ alg: 'HS256', typ: 'JWT' })
      expect(refresh.payload).toEqual({ ...claims, exp: iat + 86_400, aud: 'https://api.example/v0/token' })
    })

    it('takes the address in any case', async () => {
      const { email } = await addUser()
      expect((await logIn({ email: email.toUpperCase(), password: PASSWORD })).status).toBe(200)
    })

    it('401: wrong password, and 401: wrong email, in the same words', async () => {
      const { email } = await addUser()
      const wrongPassword = await logIn({ email, password: 'Incorrect1' })
      const wrongEmail = await logIn({ email: `not-${email}`, password: PASSWORD })
      expect(wrongPassword.status).toBe(401)
      expect(wrongPassword.headers.get('WWW-Authenticate')).toBe('Bearer')
      const body = await wrongPassword.json<{ message: string; code: string }>()
      expect(body).toEqual({ message, code: 'wrong_credentials' })
      expect(body.message).toMatch(/^Authentication failed.*invalid user or password/)
      expect(wrongEmail.status).toBe(401)
      expect(await wrongEmail.json()).toEqual(body)
      expect([...wrongEmail.headers]).toEqual([...wrongPassword.headers])
    })

    it.each([
      [202, 'email_pending', 2, /^Authentication failed.*email is not verified/],
      [201, 'identity_pending', 3, /^Authentication failed.*identity is not verified/],
      [404, 'closed', 0, /^Authentication failed/],
    ])('%d: the right password of an account that is %s', async (status, code, userStatus, text) => {
      const { email } = await addUser({ status: userStatus })
      const response = await logIn({ email, password: PASSWORD })
      expect(response.status).toBe(status)
      expect(await response.json()).toEqual({ message: expect.stringMatching(text), code })
    })

    it.each([0, 2, 3])(
      '401: the wrong password of an account of status %d tells nothing of the status',
      async (status) => {
        const { email } = await addUser({ status })
        expect((await logIn({ email, password: 'Incorrect1' })).status).toBe(401)
      },
    )

    it.each([
      ['email', { password: PASSWORD }],
      ['email', { email: 1, password: PASSWORD }],
      ['email', { email: null, password: PASSWORD }],
      ['email', { email: ['a@b.com'], password: PASSWORD }],
      ['email', { email: 'a@b', password: PASSWORD }],
      ['email', { email: ' a@b.com', password: PASSWORD }],
      ['email', { email: 'a@b.com\n', password: PASSWORD }],
      ['email', { email: 'a@b.c1', password: PASSWORD }],
      ['email', { email: `${'a'.repeat(250)}@b.com`, password: PASSWORD }],
      ['password', { email: 'a@b.com' }],
      ['password', { email: 'a@b.com', password: 123456 }],
      ['password', { email: 'a@b.com', password: 'Abcd1' }],
      ['password', { email: 'a@b.com', password: 'abcdef1' }],
      ['password', { email: 'a@b.com', password: 'ABCDEF1' }],
      ['password', { email: 'a@b.com', password: 'Abcdefg' }],
      ['password', { email: 'a@b.com', password: 'Abc\ndef1' }],
      ['password', { email: 'a@b.com', password: `Aa1${'x'.repeat(1022)}` }],
      ['password', { email: 'a@b.com', password: `Aa1${'é'.repeat(511)}` }],
    ])('400: names %s in %j', async (field, body) => {
      const response = await logIn(body)
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ message: expect.stringContaining(field), code: 'invalid_field' })
    })

    it('takes what the documented patterns take, as written: any character before the top-level domain', async () => {
      const { email } = await addUser({ email: `${crypto.randomUUID()}@example-com` })
      expect((await logIn({ email, password: PASSWORD })).status).toBe(200)
    })
  })

  describe('PUT exchanges a refresh token', () => {
    const refresh = (token: unknown) => fetchApi('PUT', '/v0/token', { body: { token } })

    it('201: with an access token of 30 minutes that works', async () => {
      const { refreshToken, userId } = await logInQuickly()
      vi.setSystemTime(NOW + 3_600_000)
      const response = await refresh(refreshToken)
      expect(response.status).toBe(201)
      const body = await response.json<{ accessToken: string }>()
      expect(Object.keys(body)).toEqual(['accessToken'])
      const iat = NOW / 1000 + 3600
      expect(decode(body.accessToken).payload).toMatchObject({
        sub: userId,
        iat,
        exp: iat + 1800,
        auth_time: NOW / 1000,
      })
      expect((await fetchApi('GET', '/v0/user', { token: body.accessToken })).status).toBe(200)
    })

    it.each([{}, { 'Content-Type': 'application/json' }])(
      '401: no payload, only the header %j, and no body back',
      async (headers: Record<string, string>) => {
        const response = await fetchApi('PUT', '/v0/token', { headers })
        expect(response.status).toBe(401)
        expect(await response.text()).toBe('')
        expect(response.headers.get('Content-Type')).toBeNull()
      },
    )

    it.each([
      ['empty', ''],
      ['garbage', 'a.b.c'],
    ])('401: with a message for a token that is %s', async (_, token) => {
      const response = await refresh(token)
      expect(response.status).toBe(401)
      expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
      expect(await response.json()).toEqual({ message, code: 'refresh_token_invalid' })
    })

    it('401: an access token', async () => {
      const { accessToken } = await logInQuickly()
      expect((await refresh(accessToken)).status).toBe(401)
    })

    it('401: an expired refresh token', async () => {
      const { refreshToken } = await logInQuickly()
      vi.setSystemTime(NOW + 86_399_000)
      expect((await refresh(refreshToken)).status).toBe(201)
      vi.setSystemTime(NOW + 86_400_000)
      expect((await refresh(refreshToken)).status).toBe(401)
    })

    it.each([[undefined], [null], [1], [['x']]])('400: names the token when it is %j', async (token) => {
      const response = await refresh(token)
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ message: expect.stringContaining('token'), code: 'invalid_field' })
    })
  })

  describe('DELETE revokes a refresh token', () => {
    const revoke = (token: string | undefined, refreshToken: unknown) =>
      fetchApi('DELETE', '/v0/token', { token, body: { token: refreshToken } })

    it('204: with no body, and the refresh token is dead while access tokens live on', async () => {
      const { accessToken, refreshToken } = await logInQuickly()
      const response = await revoke(accessToken, refreshToken)
      expect(response.status).toBe(204)
      expect(await response.text()).toBe('')
      expect((await fetchApi('PUT', '/v0/token', { body: { token: refreshToken } })).status).toBe(401)
      const patch = { token: accessToken, body: { token: refreshToken, exp: 60 } }
      expect((await fetchApi('PATCH', '/v0/token', patch)).status).toBe(400)
      expect((await fetchApi('GET', '/v0/user', { token: accessToken })).status).toBe(200)
    })

    it('400: the second time', async () => {
      const { accessToken, refreshToken } = await logInQuickly()
      await revoke(accessToken, refreshToken)
      const again = await revoke(accessToken, refreshToken)
      expect(again.status).toBe(400)
      expect(await again.json()).toEqual({
        message: expect.stringMatching(/^Revocation failed: /),
        code: 'revocation_failed',
      })
    })

    it('A32: 400: garbage, an access token, an expired token and one of somebody else, which lives on', async () => {
      const caller = await logInQuickly()
      const other = await logInQuickly()
      const expired = await addTokens(caller.userId, NOW - 86_400_000)
      for (const token of ['garbage', caller.accessToken, expired.refreshToken, other.refreshToken]) {
        expect((await revoke(caller.accessToken, token)).status).toBe(400)
      }
      for (const { refreshToken } of [caller, other]) {
        expect((await fetchApi('PUT', '/v0/token', { body: { token: refreshToken } })).status).toBe(201)
      }
    })

    it('401: without an access token, and nothing is revoked', async () => {
      const { refreshToken } = await logInQuickly()
      const response = await revoke(undefined, refreshToken)
      expect(response.status).toBe(401)
      expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
      expect((await fetchApi('PUT', '/v0/token', { body: { token: refreshToken } })).status).toBe(201)
    })
  })

  describe('PATCH makes a refresh token with a lifetime of choice', () => {
    const extend = (token: string | undefined, refreshToken: unknown, exp: unknown) =>
      fetchApi('PATCH', '/v0/token', { token, body: { token: refreshToken, exp } })

    it.each([1, 86_400, 31_536_000])('201: of %d seconds, which refreshes until then', async (exp) => {
      const { accessToken, refreshToken } = await logInQuickly()
      const response = await extend(accessToken, refreshToken, exp)
      expect(response.status).toBe(201)
      const body = await response.json<{ refreshToken: string }>()
      expect(Object.keys(body)).toEqual(['refreshToken'])
      const iat = NOW / 1000
      expect(decode(body.refreshToken).payload).toMatchObject({ iat, exp: iat + exp, auth_time: iat })
      vi.setSystemTime(NOW + exp * 1000 - 1)
      expect((await fetchApi('PUT', '/v0/token', { body: { token: body.refreshToken } })).status).toBe(201)
      vi.setSystemTime(NOW + exp * 1000)
      expect((await fetchApi('PUT', '/v0/token', { body: { token: body.refreshToken } })).status).toBe(401)
    })

    it('leaves the presented token alive, and each is revoked by itself', async () => {
      const { accessToken, refreshToken } = await logInQuickly()
      const made = await (await extend(accessToken, refreshToken, 600)).json<{ refreshToken: string }>()
      const revoked = await fetchApi('DELETE', '/v0/token', { token: accessToken, body: { token: refreshToken } })
      expect(revoked.status).toBe(204)
      expect((await fetchApi('PUT', '/v0/token', { body: { token: made.refreshToken } })).status).toBe(201)
      expect((await extend(accessToken, made.refreshToken, 600)).status).toBe(201)
    })

    it.each([[0], [-1], [1.5], ['60'], [null], [undefined], [31_536_001], [2 ** 53], [true], [[60]]])(
      'A33: 400: names exp when it is %j',
      async (exp) => {
        const { accessToken, refreshToken } = await logInQuickly()
        const response = await extend(accessToken, refreshToken, exp)
        expect(response.status).toBe(400)
        expect(await response.json()).toEqual({ message: expect.stringContaining('exp'), code: 'invalid_field' })
      },
    )

    it.each(['1e300', 'NaN', '1e999', '6e1 1'])('A33: 400: exp written as %s', async (exp) => {
      const { accessToken, refreshToken } = await logInQuickly()
      const body = `{"token":"${refreshToken}","exp":${exp}}`
      expect((await fetchApi('PATCH', '/v0/token', { token: accessToken, body })).status).toBe(400)
    })

    it('A35: 400: with a token that is no live refresh token of the caller, an access token among them', async () => {
      const caller = await logInQuickly()
      const other = await logInQuickly()
      for (const token of ['garbage', '', caller.accessToken, other.refreshToken]) {
        const response = await extend(caller.accessToken, token, 60)
        expect(response.status).toBe(400)
        expect(await response.json()).toEqual({
          message: expect.stringMatching(/^Generation of the refresh token failed: /),
          code: 'generation_failed',
        })
      }
    })

    it('401: without an access token', async () => {
      const { refreshToken } = await logInQuickly()
      expect((await extend(undefined, refreshToken, 60)).status).toBe(401)
    })

    it('A34: never passes 366 days after the login, however often it is repeated', async () => {
      const { accessToken, refreshToken, userId } = await logInQuickly()
      const first = await (await extend(accessToken, refreshToken, 31_536_000)).json<{ refreshToken: string }>()
      vi.setSystemTime(NOW + 300 * 86_400_000)
      const { accessToken: later } = await addTokens(userId)
      const refused = await extend(later, first.refreshToken, 66 * 86_400 + 1)
      expect(refused.status).toBe(400)
      expect(await refused.json()).toEqual({ message: expect.stringContaining('exp'), code: 'invalid_field' })
      const last = await extend(later, first.refreshToken, 66 * 86_400)
      expect(last.status).toBe(201)
      const { refreshToken: longest } = await last.json<{ refreshToken: string }>()
      expect(decode(longest).payload.exp).toBe(NOW / 1000 + 366 * 86_400)
      expect((await extend(later, longest, 66 * 86_400 + 1)).status).toBe(400)
    })
  })

  it('405: names the methods that there are', async () => {
    const response = await fetchApi('GET', '/v0/token')
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('POST, PUT, PATCH, DELETE')
  })

  it('answers the token before it looks at the body', async () => {
    for (const method of ['DELETE', 'PATCH']) {
      const big = { body: 'x'.repeat(9000), headers: { 'Content-Type': 'text/plain' } }
      expect((await fetchApi(method, '/v0/token', big)).status).toBe(401)
      const { accessToken: token } = await logInQuickly()
      expect((await fetchApi(method, '/v0/token', { token, ...big })).status).toBe(413)
      const small = { body: '{', headers: { 'Content-Type': 'text/plain' } }
      expect((await fetchApi(method, '/v0/token', { token, ...small })).status).toBe(415)
      expect((await fetchApi(method, '/v0/token', { token, body: '{' })).status).toBe(400)
    }
  })

  it('keeps no token and no password in the database', async () => {
    const { refreshToken } = await logInQuickly()
    const { results } = await env.DB.prepare('SELECT * FROM sessions').all()
    expect(JSON.stringify(results)).not.toContain(refreshToken.split('.')[2])
  })
})
