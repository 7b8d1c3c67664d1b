import { env } from 'cloudflare:test'
import crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hasAmbiguousName } from '../../../../worker/platform/http/parse-json.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addUser, logInQuickly, PASSWORD } from '../../sign-in.ts'
import { decode, encode } from './forge-token.ts'

const CREDENTIALS = { email: 'a@b.com', password: PASSWORD }

describe('abuse cases of requests (those of single tokens are in verify-token, of keys in token-keys)', () => {
  let hashes: ReturnType<typeof vi.spyOn>
  beforeEach(async () => {
    await env.DB.prepare('DELETE FROM attempts').run()
    hashes = vi.spyOn(crypto, 'scryptSync').mockImplementation(() => Buffer.alloc(32, 1))
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('A9: a revoked token does not come back in another spelling', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    await fetchApi('DELETE', '/v0/token', { token: accessToken, body: { token: refreshToken } })
    const [header = '', payload = '', signature = ''] = refreshToken.split('.')
    const last = signature.slice(-1)
    const spellings = [
      `${refreshToken}=`,
      `${refreshToken}\n`,
      `${refreshToken} `,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}==.${signature}`,
      ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
        .filter((letter) => letter !== last)
        .map((letter) => refreshToken.slice(0, -1) + letter),
    ]
    for (const token of spellings) {
      expect((await fetchApi('PUT', '/v0/token', { body: { token } })).status).toBe(401)
    }
  })

  it('A10: a refresh token opens no API route, and an access token is no refresh token', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    const get = await fetchApi('GET', '/v0/user', { token: refreshToken })
    expect(get.status).toBe(401)
    expect((await fetchApi('PUT', '/v0/token', { body: { token: accessToken } })).status).toBe(401)
    const patch = { token: accessToken, body: { token: accessToken, exp: 60 } }
    expect((await fetchApi('PATCH', '/v0/token', patch)).status).toBe(400)
    const own = { token: refreshToken, body: { token: refreshToken, exp: 60 } }
    expect((await fetchApi('PATCH', '/v0/token', own)).status).toBe(401)
  })

  it.each(['/v0/token', '/v0/folder'])(
    'a body at %s that is not UTF-8 is no JSON: it would be many texts',
    async (path) => {
      const { accessToken } = await logInQuickly()
      const text = JSON.stringify({ ...CREDENTIALS, name: 'broken: ~', blockchain: 'IPFS' })
      const body = Uint8Array.from(Buffer.from(text.replace('~', '\xff'), 'latin1'))
      const answer = await fetchApi('POST', path, { token: accessToken, body })
      expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'invalid_json' })])
    },
  )

  it('A10: role and permissions in a token cannot be changed', async () => {
    const { accessToken } = await logInQuickly()
    const [header, , signature] = accessToken.split('.')
    const { payload } = decode(accessToken)
    const token = `${header}.${encode({ ...payload, permissions: [{ name: 'users' }], role: { name: 'admin' } })}.${signature}`
    expect((await fetchApi('GET', '/v0/users', { token })).status).toBe(401)
  })

  it('A4: no address in a token is ever fetched', async () => {
    const outbox = openOutbox()
    const { accessToken } = await logInQuickly()
    const [, payload, signature] = accessToken.split('.')
    const header = encode({ alg: 'HS256', typ: 'JWT', jku: 'https://evil.example/keys' })
    expect((await fetchApi('GET', '/v0/user', { token: `${header}.${payload}.${signature}` })).status).toBe(401)
    expect(outbox.requests).toEqual([])
  })

  it.each([
    ['POST', '/v0/token', { ...CREDENTIALS, password: `aA1${'x'.repeat(1 << 20)}` }],
    ['POST', '/v0/token', { ...CREDENTIALS, more: 'x'.repeat(8 << 10) }],
    ['POST', '/v0/user', { ...CREDENTIALS, firstName: 'x'.repeat(200 << 10), lastName: 'y' }],
  ])('A22: %s %s with too large a body is a 413 before any hash', async (method, path, body) => {
    expect((await fetchApi(method, path, { body })).status).toBe(413)
    expect(hashes).not.toHaveBeenCalled()
  })

  it('A22: a body without a length is counted while it is read, and no further', async () => {
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1024
        controller.enqueue(new Uint8Array(1024).fill(32))
      },
    })
    const response = await fetchApi('POST', '/v0/token', { body: endless })
    expect(response.status).toBe(413)
    expect(pulled).toBeLessThan(1 << 20)
    expect(hashes).not.toHaveBeenCalled()
  })

  it('A22: a body of exactly 8 KiB is read', async () => {
    const body = JSON.stringify(CREDENTIALS)
    const padded = body + ' '.repeat(8192 - body.length)
    expect((await fetchApi('POST', '/v0/token', { body: padded })).status).toBe(401)
    expect((await fetchApi('POST', '/v0/token', { body: `${padded} ` })).status).toBe(413)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ])('A25: a body sent as %j is a 415', async (type) => {
    for (const [method, path] of [
      ['POST', '/v0/token'],
      ['PUT', '/v0/token'],
      ['POST', '/v0/user'],
    ] as const) {
      const headers = { 'Content-Type': type }
      const response = await fetchApi(method, path, { body: JSON.stringify(CREDENTIALS), headers })
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({ code: 'unsupported_media_type' })
    }
  })

  it('A25: media types are compared without case and parameters', async () => {
    const headers = { 'Content-Type': 'Application/JSON; charset=utf-8' }
    expect((await fetchApi('POST', '/v0/token', { body: CREDENTIALS, headers })).status).toBe(401)
  })

  it.each([
    ['a list', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['nothing', ''],
    ['half an object', '{"email":"a@b.com"'],
    ['lists, 4,000 deep', '['.repeat(4000) + ']'.repeat(4000)],
    ['objects, 1,000 deep', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`],
    ['__proto__', '{"__proto__":{"email":"a@b.com","password":"Correct1"}}'],
    ['__proto__ beside the rest', '{"email":"a@b.com","password":"Correct1","__proto__":{}}'],
    ['an escaped __proto__', '{"email":"a@b.com","password":"Correct1","__pr\\u006fto__":{}}'],
    ['the email twice', '{"email":"a@b.com","email":"c@d.com","password":"Correct1"}'],
    ['the email twice, once escaped', '{"email":"a@b.com","em\\u0061il":"c@d.com","password":"Correct1"}'],
    ['a number as email', '{"email":1,"password":"Correct1"}'],
    ['an object as password', '{"email":"a@b.com","password":{"$ne":null}}'],
    ['the fields inherited', '{"constructor":{"prototype":{"email":"a@b.com"}}}'],
  ])('A26: a body that is %s is a 400 without a hash', async (_, body) => {
    const response = await fetchApi('POST', '/v0/token', { body })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ message: expect.any(String), code: expect.stringMatching(/^invalid_/) })
    expect(hashes).not.toHaveBeenCalled()
  })

  it('A26: the same name in two objects, or as a value, is not ambiguous', () => {
    expect(hasAmbiguousName('{"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":2}],"e":"b","f":["a","a"]}')).toBe(false)
    expect(hasAmbiguousName(String.raw`{"a":"\"a\":","b":"{\"b\":1}"}`)).toBe(false)
    expect(hasAmbiguousName('{"d":[{"b":1,"b":2}]}')).toBe(true)
  })

  it('A41: what means something to SQL is only text', async () => {
    const outbox = openOutbox()
    const users = () => env.DB.prepare('SELECT COUNT(*) AS n FROM users').first<{ n: number }>()
    const before = await users()
    const evil = `'); DROP TABLE users; -- %_"\\`
    const email = `${crypto.randomUUID()}%_--@example'com`
    const body = { email, password: `aA1${evil}`, firstName: evil, lastName: evil }
    expect((await fetchApi('POST', '/v0/user', { body })).status).toBe(201)
    expect((await users())?.n).toBe((before?.n ?? 0) + 1)
    expect(await env.DB.prepare('SELECT first_name FROM users WHERE email = ?').bind(email).first()).toEqual({
      first_name: evil,
    })
    await vi.waitFor(() => expect(outbox.mails.at(-1)?.to).toBe(email), 60_000)
    const { accessToken } = await logInQuickly()
    const jti = encodeURIComponent("' OR 1=1 --")
    expect((await fetchApi('DELETE', `/v0/user/sessions/${jti}`, { token: accessToken })).status).toBe(404)
  })

  it('A42: no log and no answer holds a password, a token, a hash, a key or a stack', async () => {
    const lines: unknown[] = []
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      vi.spyOn(console, method).mockImplementation((...args) => {
        lines.push(...args.map((arg) => (arg instanceof Error ? `${arg.stack}${JSON.stringify(arg)}` : arg)))
      })
    }
    const answers: string[] = []
    const send = async (...request: Parameters<typeof fetchApi>) => {
      const response = await fetchApi(...request)
      answers.push(await response.text(), JSON.stringify([...response.headers]))
    }
    const outbox = openOutbox()
    outbox.status = 500
    const { accessToken, refreshToken, email } = await logInQuickly()
    const secrets = [`aA1${crypto.randomUUID()}`, accessToken.slice(0, -1), refreshToken.slice(0, -1)]
    const [password] = secrets
    await send('POST', '/v0/token', { body: { email, password } })
    await send('POST', '/v0/token', { body: `{"email":"${email}","password":"${password}" oops` })
    await send('POST', '/v0/token', { body: { email: 'nobody', password } })
    await send('POST', '/v0/user', { body: { email: `x${email}`, password, firstName: 'A', lastName: 'B' } })
    await send('PUT', '/v0/token', { body: { token: `${refreshToken}x` } })
    await send('PUT', '/v0/token', { body: { token: accessToken } })
    await send('GET', '/v0/user', { token: refreshToken })
    await send('GET', '/v0/user', { token: `${accessToken}x` })
    await send('DELETE', '/v0/token', { token: accessToken, body: { token: accessToken } })
    await send('PATCH', '/v0/token', { token: accessToken, body: { token: `${refreshToken}=`, exp: 1 } })
    await send('PUT', '/v0/user/password', { body: { token: refreshToken, password } })
    await send('DELETE', '/v0/user', { token: accessToken, body: { password } })
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1_ERROR: no such table')
    })
    await send('POST', '/v0/token', { body: { email, password } })
    await send('GET', '/v0/user', { token: accessToken })
    vi.restoreAllMocks()

    const log = lines.map(String).join('\n')
    expect(log).toContain('D1_ERROR')
    secrets.push('scrypt$', Buffer.alloc(32, 7).toString('base64url'), 'mail-secret')
    for (const secret of secrets) {
      expect(log).not.toContain(secret)
      expect(answers.join('\n')).not.toContain(secret)
    }
    expect(answers.join('\n')).not.toMatch(/\bat .*\.ts|D1_ERROR|SELECT/)
  })

  it('A42: an API key and the secret of a webhook are told once, to who made them, and never again or to a log', async () => {
    const lines: unknown[] = []
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      vi.spyOn(console, method).mockImplementation((...args) => {
        lines.push(...args.map((arg) => (arg instanceof Error ? `${arg.stack}${JSON.stringify(arg)}` : arg)))
      })
    }
    const { accessToken: token } = await logInQuickly()
    const made = async (path: string, body: object) =>
      (await fetchApi('POST', path, { token, body })).json<{ id: string; key?: string; secret?: string }>()
    const { id, key = 'none' } = await made('/v0/user/keys', { name: 'ci', scopes: ['read', 'pay'], spending: {} })
    const webhook = await made('/v0/webhook', { url: 'https://shop.example.com/' })
    const secret = webhook.secret?.slice('whsec_'.length) ?? 'none'
    const answers: string[] = []
    for (const [method, path, bearer] of [
      ['GET', '/v0/user/keys', token],
      ['GET', '/v0/user', key],
      ['GET', '/v0/webhook', key],
      ['GET', '/v0/audit', token],
      ['GET', '/v0/audit', key],
      ['POST', '/v0/withdrawal', key],
      ['DELETE', `/v0/webhook/${webhook.id}`, key],
      ['DELETE', `/v0/user/keys/${id}`, token],
      ['GET', '/v0/user', key],
    ] as const) {
      const body = method === 'POST' ? {} : undefined
      const response = await fetchApi(method, path, { token: bearer, ...(body && { body }) })
      answers.push(await response.text(), JSON.stringify([...response.headers]))
    }
    vi.restoreAllMocks()
    expect([key, secret]).not.toContain('none')
    for (const told of [answers.join('\n'), lines.map(String).join('\n')]) {
      for (const hidden of [key, secret]) expect(told).not.toContain(hidden)
    }
    expect(answers.at(-2)).toContain('token_invalid')
  })

  it('A17: known or not, the address of a login costs the same queries', async () => {
    const costs = []
    for (const email of [(await addUser()).email, `${crypto.randomUUID()}@example.com`]) {
      const prepare = vi.spyOn(env.DB, 'prepare')
      expect((await fetchApi('POST', '/v0/token', { body: { email, password: 'Incorrect1' } })).status).toBe(401)
      costs.push(prepare.mock.calls.map(([sql]) => sql))
      prepare.mockRestore()
    }
    expect(costs[0]).toHaveLength(4)
    expect(costs[1]).toEqual(costs[0])
  })
})
