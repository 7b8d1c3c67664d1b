import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KEY_ROUTES } from '../../../../../contract/scopes.ts'
import { PATHS } from '../../../../../worker/features/docs/openapi-document.ts'
import { type ApiRequest, fetchApi } from '../../../fetch-api.ts'
import { addTokens, signIn } from '../../../sign-in.ts'

type Body = Record<string, unknown>

let user: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  user = await signIn()
})
afterEach(() => vi.useRealTimers())

async function call(method: string, path: string, request: ApiRequest = {}) {
  const response = await fetchApi(method, path, request)
  const text = await response.text()
  const answer: Body = text === '' ? {} : JSON.parse(text)
  return { ...answer, status: response.status }
}

const create = (body: Body = {}, token = user.token) =>
  call('POST', '/v0/user/keys', { token, body: { name: 'ci', scopes: ['read'], ...body } })

/** A new key, which has to be given. */
async function keyWith(...scopes: string[]): Promise<{ id: string; key: string }> {
  const { id, key, status } = {
    id: '',
    key: '',
    ...(await create({ scopes, spending: scopes.includes('pay') ? {} : null })),
  }
  expect(status).toBe(201)
  return { id, key }
}

const ITEM = { name: 'a.txt', mimetype: 'text/plain', blockchain: 'IPFS', size: 5 }

describe('an API key', () => {
  it('is shown once; the list names it, and the database has its hash only', async () => {
    const { id, key } = await keyWith('store', 'read', 'store')
    expect(key).toMatch(/^hookline_[\w-]{43}$/)
    const list = await call('GET', '/v0/user/keys', { token: user.token })
    expect(list).toMatchObject({
      keys: [{ id, name: 'ci', scopes: ['read', 'store'], expiresAt: null, spending: null }],
    })
    expect(JSON.stringify(list)).not.toContain(key)
    const { results } = await env.DB.prepare('SELECT * FROM api_keys WHERE id = ?').bind(id).all()
    expect(JSON.stringify(results)).not.toContain(key)
  })

  it('stands for its account within its scopes, and says which it is', async () => {
    const { id, key } = await keyWith('store')
    expect(await call('GET', '/v0/user', { token: key })).toMatchObject({
      status: 200,
      id: user.userId,
      key: { id, name: 'ci', scopes: ['store'], expiresAt: null },
    })
    expect(await call('GET', '/v0/user', { token: user.token })).not.toHaveProperty('key')
    expect(await call('POST', '/v0/item', { token: key, body: ITEM })).toMatchObject({ status: 201 })
    expect(await call('POST', '/v0/payment', { token: key, body: {} })).toMatchObject({
      status: 403,
      code: 'scope_missing',
      message: expect.stringContaining('"pay"'),
    })
  })

  it('remembers when it was used last, to the minute', async () => {
    const { key } = await keyWith('read')
    await call('GET', '/v0/item', { token: key })
    await vi.waitFor(async () => {
      const { keys } = { keys: [], ...(await call('GET', '/v0/user/keys', { token: user.token })) }
      expect(keys).toMatchObject([{ lastUsedAt: expect.any(Number) }])
    }, 30_000)
  })

  it.each([
    ['PATCH', '/v0/token'],
    ['DELETE', '/v0/token'],
    ['GET', '/v0/user/keys'],
    ['POST', '/v0/user/keys'],
    ['DELETE', `/v0/user/keys/${crypto.randomUUID()}`],
    ['GET', '/v0/user/sessions'],
    ['DELETE', '/v0/user/sessions/AAAAAAAAAAAAAAAAAAAAAA'],
    ['DELETE', '/v0/user'],
    ['PUT', '/v0/user'],
    ['GET', '/v0/user/passkeys'],
    ['POST', '/v0/user/passkeys'],
    ['GET', '/v0/audit'],
    ['POST', '/v0/withdrawal'],
    ['GET', '/v0/withdrawal'],
    ['POST', '/v0/operate/sweep'],
  ])('A43: with every scope is refused by %s %s', async (method, path) => {
    const { key } = await keyWith('read', 'store', 'pay', 'sites')
    expect(await call(method, path, { token: key, body: method === 'GET' ? undefined : {} })).toMatchObject({
      status: 403,
      code: 'key_not_taken',
    })
  })

  it('is no login: PUT /v0/token takes it for no refresh token', async () => {
    const { key } = await keyWith('read')
    expect(await call('PUT', '/v0/token', { body: { token: key } })).toMatchObject({ status: 401 })
  })

  it('A43: of an administrator does not administrate', async () => {
    user = await signIn('admin')
    const { key } = await keyWith('read', 'store', 'pay', 'sites')
    for (const path of ['/v0/users', '/v0/denied', '/v0/cache']) {
      expect([path, (await call('GET', path, { token: key })).status]).toEqual([path, 403])
    }
    expect(await call('GET', '/v0/item?status=409', { token: key })).toMatchObject({ items: [] })
  })

  it('ends when it is revoked, by its owner only', async () => {
    const { id, key } = await keyWith('read')
    const other = await signIn()
    expect(await call('DELETE', `/v0/user/keys/${id}`, { token: other.token })).toMatchObject({ status: 404 })
    expect(await call('GET', '/v0/item', { token: key })).toMatchObject({ status: 200 })
    expect(await call('DELETE', `/v0/user/keys/${id}`, { token: user.token })).toMatchObject({ status: 204 })
    expect(await call('GET', '/v0/item', { token: key })).toMatchObject({ status: 401, code: 'token_invalid' })
    expect(await call('DELETE', `/v0/user/keys/${id}`, { token: user.token })).toMatchObject({ status: 404 })
  })

  it('ends at the second that it was made for', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const expiresAt = Math.floor(Date.now() / 1000) + 60
    const { key } = { key: '', ...(await create({ expiresAt })) }
    vi.setSystemTime(expiresAt * 1000 - 1)
    expect((await call('GET', '/v0/item', { token: key })).status).toBe(200)
    vi.setSystemTime(expiresAt * 1000)
    expect((await call('GET', '/v0/item', { token: key })).status).toBe(401)
  })

  it('ends when its account is closed', async () => {
    const { key } = await keyWith('read')
    await env.DB.prepare('UPDATE users SET status = 0 WHERE id = ?').bind(user.userId).run()
    expect((await call('GET', '/v0/item', { token: key })).status).toBe(401)
  })

  it.each([
    ['none', 'hookline_'],
    ['another', `hookline_${'A'.repeat(43)}`],
    ['a long one', `hookline_${'A'.repeat(5000)}`],
    ['SQL', "hookline_'OR'1"],
  ])('that is none is refused: %s', async (_, token) => {
    expect((await call('GET', '/v0/item', { token })).status).toBe(401)
  })
})

describe('making an API key', () => {
  it('A45: needs a login of the last ten minutes; a renewed token does not count as one', async () => {
    const old = await addTokens(user.userId, Date.now() - 601_000)
    expect(await create({}, old.accessToken)).toMatchObject({ status: 403, code: 'login_again' })
    const { accessToken } = {
      accessToken: '',
      ...(await call('PUT', '/v0/token', { body: { token: old.refreshToken } })),
    }
    expect(await create({}, accessToken)).toMatchObject({ status: 403, code: 'login_again' })
    const recent = await addTokens(user.userId, Date.now() - 590_000)
    expect((await create({}, recent.accessToken)).status).toBe(201)
  })

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'a\u0000b' }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['operate'] }],
    ['scopes', { scopes: 'read' }],
    ['expiresAt', { expiresAt: 1 }],
    ['expiresAt', { expiresAt: 2 ** 40 }],
    ['expiresAt', { expiresAt: '2030-01-01' }],
    ['spending', { spending: [] }],
    ['spending', { spending: { IPFS: '1' } }],
    ['spending', { scopes: ['read', 'pay'] }],
    ['spending', { scopes: ['pay'], spending: null }],
    ['spending.Bitcoin', { spending: { Bitcoin: 1 } }],
    ['spending.Bitcoin', { spending: { Bitcoin: '-1' } }],
    ['spending.Bitcoin', { spending: { Bitcoin: '0.000000001' } }],
  ])('is refused for a wrong %s: %j', async (field, body) => {
    expect(await create(body)).toMatchObject({
      status: 400,
      code: 'invalid_field',
      message: expect.stringMatching(new RegExp(`^${field} `)),
    })
  })

  it('keeps limits digit for digit', async () => {
    await create({ scopes: ['pay'], spending: { Dogecoin: '92233720368.54775807', Nativecoin: '0' } })
    const response = await fetchApi('GET', '/v0/user/keys', { token: user.token })
    expect(await response.text()).toContain('"spending":{"Nativecoin":0,"Dogecoin":92233720368.54775807}')
  })

  it('ends at the quota, also when all are made at once; expired keys make room', async () => {
    // The clock stands still: however slow the machine is, no request waits too long in a queue.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const made = await Promise.all(Array.from({ length: 25 }, () => create()))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(await create()).toMatchObject({ status: 409, code: 'quota_exceeded', quota: 'keys', limit: 20, used: 20 })
    await env.DB.prepare('UPDATE api_keys SET expires_at = 1 WHERE user_id = ?').bind(user.userId).run()
    expect((await create()).status).toBe(201)
    expect(await call('GET', '/v0/user', { token: user.token })).toMatchObject({ quotas: { keys: { used: 1 } } })
  })
})

describe('the routes that take keys', () => {
  const described = Object.entries(PATHS).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      operation,
    })),
  )

  it('are routes that there are, and that need an access token otherwise', () => {
    const known = described.filter(({ operation }) => operation.security).map(({ route }) => route)
    expect(Object.keys(KEY_ROUTES).filter((route) => !known.includes(route))).toEqual([])
  })

  it('are told as such by the description, with their scopes', () => {
    for (const { route, operation } of described) {
      const scopes = (operation.security ?? []).flatMap(({ apiKey }) => apiKey ?? [])
      // What takes GET takes HEAD.
      expect([route, scopes]).toEqual([route, KEY_ROUTES[route.replace(/^HEAD /, 'GET ')] ?? []])
    }
  })

  it('need no permission of an administrator', () => {
    for (const { route, operation } of described) {
      if (!KEY_ROUTES[route]) continue
      const permissions = (operation.security ?? []).flatMap(({ accessToken }) => accessToken ?? [])
      expect([route, permissions.filter((name) => !['store', 'pay'].includes(name))]).toEqual([route, []])
    }
  })
})
