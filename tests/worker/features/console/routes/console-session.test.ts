import { describe, expect, it } from 'vitest'
import { sessionCookie } from '../../../../../worker/features/console/session-cookie.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { addUser, PASSWORD } from '../../../sign-in.ts'

const OWN = { 'Sec-Fetch-Site': 'same-origin' }
const PATH = '/console/session'

const logIn = (email: string, headers: Record<string, string> = OWN, password = PASSWORD) =>
  fetchApi('POST', PATH, { headers, body: { email, password } })
const withCookie = (cookie: string) => ({ ...OWN, Cookie: cookie })

/** Logs in; the cookie as the browser sends it back. */
async function open() {
  const { email } = await addUser()
  const response = await logIn(email)
  const { accessToken } = await response.json<{ accessToken: string }>()
  const setCookie = response.headers.get('Set-Cookie') ?? ''
  return { email, accessToken, setCookie, cookie: setCookie.split(';')[0] ?? '' }
}

describe('POST /console/session', () => {
  it('answers the access token alone, and keeps the refresh token from every script', async () => {
    const { email } = await addUser()
    const response = await logIn(email)
    expect(response.status).toBe(200)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const body = await response.json<{ accessToken: string }>()
    expect(Object.keys(body)).toEqual(['accessToken'])
    const [pair = '', ...attributes] = (response.headers.get('Set-Cookie') ?? '').split('; ')
    expect(pair).toMatch(/^__Host-hookline=[\w-]+\.[\w-]+\.[\w-]{43}$/)
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=7776000', 'Path=/', 'SameSite=Strict', 'Secure'])
    expect((await fetchApi('GET', '/v0/user', { token: body.accessToken })).status).toBe(200)
  })

  it('sets no cookie for a wrong password', async () => {
    const { email } = await addUser()
    const response = await logIn(email, OWN, 'Incorrect1')
    expect(response.status).toBe(401)
    expect(response.headers.get('Set-Cookie')).toBeNull()
  })

  it.each([
    [202, 2],
    [201, 3],
    [404, 0],
  ])('%d: as POST /v0/token, without a cookie', async (status, userStatus) => {
    const { email } = await addUser({ status: userStatus })
    const response = await logIn(email)
    expect(response.status).toBe(status)
    expect(response.headers.get('Set-Cookie')).toBeNull()
    await response.body?.cancel()
  })

  it('ends the session that was open in this browser before', async () => {
    const before = await open()
    const { email } = await addUser()
    const response = await logIn(email, withCookie(before.cookie))
    await response.body?.cancel()
    expect((await fetchApi('PUT', PATH, { headers: withCookie(before.cookie) })).status).toBe(401)
  })
})

describe('the cookie', () => {
  it('is secure, with a prefix that demands it, wherever the service is reached from elsewhere', () => {
    for (const origin of ['https://api.example', 'http://api.example', 'https://localhost']) {
      expect(sessionCookie(origin)).toMatchObject({ name: '__Host-hookline', attributes: { secure: true, path: '/' } })
    }
  })

  it('is plain on this machine over http, where some engines refuse a secure one, and HttpOnly still', () => {
    for (const origin of ['http://127.0.0.1:8787', 'http://localhost:8787', 'http://[::1]:8787']) {
      const plain = { name: 'hookline', attributes: { secure: false, httpOnly: true, sameSite: 'Strict', path: '/' } }
      expect(sessionCookie(origin)).toEqual(plain)
    }
  })
})

describe('PUT /console/session', () => {
  it('renews the access token by the cookie', async () => {
    const { cookie } = await open()
    const response = await fetchApi('PUT', PATH, { headers: withCookie(cookie) })
    expect(response.status).toBe(200)
    const { accessToken } = await response.json<{ accessToken: string }>()
    expect((await fetchApi('GET', '/v0/user', { token: accessToken })).status).toBe(200)
  })

  it.each(['', '__Host-hookline=', '__Host-hookline=a.b.c', 'hookline=a.b.c'])(
    '401 for the cookie "%s"',
    async (cookie) => {
      const response = await fetchApi('PUT', PATH, { headers: withCookie(cookie) })
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ code: 'refresh_token_invalid' })
    },
  )

  it('A50: is the only thing that reads the cookie', async () => {
    const { cookie } = await open()
    expect((await fetchApi('GET', '/v0/user', { headers: withCookie(cookie) })).status).toBe(401)
    expect((await fetchApi('PUT', '/v0/token', { headers: withCookie(cookie) })).status).toBe(401)
  })
})

describe('DELETE /console/session', () => {
  it('ends the session and removes the cookie', async () => {
    const { cookie } = await open()
    const response = await fetchApi('DELETE', PATH, { headers: withCookie(cookie) })
    expect(response.status).toBe(204)
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-hookline=;.*Max-Age=0/)
    expect((await fetchApi('PUT', PATH, { headers: withCookie(cookie) })).status).toBe(401)
  })

  it('has nothing against nobody being logged in', async () => {
    expect((await fetchApi('DELETE', PATH, { headers: OWN })).status).toBe(204)
  })
})

describe('/console/session', () => {
  it.each(['POST', 'PUT', 'DELETE'])('A50: %s is refused to pages of other origins', async (method) => {
    const { email, cookie } = await open()
    const body = method === 'POST' ? { email, password: PASSWORD } : undefined
    for (const headers of [
      {},
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://api.example' },
      { Origin: 'null' },
      { Origin: 'https://storage.example' },
      { Origin: 'http://api.example' },
    ]) {
      const response = await fetchApi(method, PATH, { headers: { ...headers, Cookie: cookie }, body })
      expect([headers, response.status]).toEqual([headers, 403])
      expect(await response.json()).toMatchObject({ code: 'wrong_origin' })
    }
    expect((await fetchApi('PUT', PATH, { headers: withCookie(cookie) })).status).toBe(200)
  })

  it('believes our own Origin of a browser that sends no Sec-Fetch-Site', async () => {
    const { email } = await addUser()
    const response = await logIn(email, { Origin: 'https://api.example' })
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })

  it('has no GET, though the page of the console is answered all around it', async () => {
    const response = await fetchApi('GET', PATH, { headers: OWN })
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('POST, PUT, DELETE')
  })
})
