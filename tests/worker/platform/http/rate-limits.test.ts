import { createExecutionContext, env } from 'cloudflare:test'
import crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addressDigest } from '../../../../worker/features/auth/count-attempt.ts'
import worker from '../../../../worker/index.ts'
import type { Env } from '../../../../worker/platform/bindings.ts'
import { RATE_LIMITS } from '../../../../worker/platform/http/rate-limits.ts'
import { fetchApi } from '../../fetch-api.ts'
import { addUser, PASSWORD, signIn } from '../../sign-in.ts'

const [wrangler = ''] = Object.values(
  import.meta.glob<string>('../../../../wrangler.toml', { query: '?raw', import: 'default', eager: true }),
)
const FROM = { 'CF-Connecting-IP': '192.0.2.1' }

async function headersOf(path: string, headers: Record<string, string> = FROM, method = 'GET', service: Env = env) {
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://api.example${path}`, { method, headers })
  const response = await worker.fetch(request, service, createExecutionContext())
  await response.body?.cancel()
  const { status } = response
  return { status, policy: response.headers.get('RateLimit-Policy'), left: response.headers.get('RateLimit') }
}

/** An answer to a body, and what it says of limits that the database counts. */
async function post(path: string, body: unknown, headers: Record<string, string> = FROM, method = 'POST') {
  const response = await fetchApi(method, path, { body, headers })
  const told = (name: string) =>
    (response.headers.get(name) ?? '').split(', ').filter((part) => part !== '' && !/^"(?:read|write)"/.test(part))
  return { status: response.status, policy: told('RateLimit-Policy'), left: told('RateLimit') }
}

describe('limits by address', () => {
  it('are told where they count, errors included; how much is left is not known', async () => {
    expect(await headersOf('/v0/cache')).toMatchObject({ policy: '"read";q=6000;w=60', left: null })
    expect(await headersOf('/v0/token', FROM, 'PUT')).toMatchObject({ status: 401, policy: '"write";q=1800;w=60' })
  })

  it('say which of them is used up, and for how long', async () => {
    const spent: Env = { ...env, WRITE_LIMIT: { limit: async () => ({ success: false }) } }
    expect(await headersOf('/v0/token', FROM, 'PUT', spent)).toEqual({
      status: 429,
      policy: '"write";q=1800;w=60',
      left: '"write";r=0;t=60',
    })
  })

  it('are not told where nothing is counted', async () => {
    expect(await headersOf('/v0/cache', {})).toMatchObject({ policy: null })
    expect(await headersOf('/console/settings')).toMatchObject({ policy: null })
  })

  it('are those of wrangler.toml', () => {
    for (const [name, { most, seconds }] of Object.entries(RATE_LIMITS)) {
      const [, section = ''] = wrangler.split(`name = "${name.toUpperCase()}_LIMIT"`)
      expect(section).toMatch(
        new RegExp(`^\\s+namespace_id = "\\d+"\\s+simple = \\{ limit = ${most}, period = ${seconds} \\}`),
      )
    }
  })
})

describe('limits that the database counts', () => {
  // The cost of the accounts of tests, whatever is asked for.
  beforeEach(() => {
    const { scryptSync } = crypto
    vi.spyOn(crypto, 'scryptSync').mockImplementation((password, salt, length) =>
      scryptSync(password, salt, length, { N: 16, r: 8, p: 1 }),
    )
  })
  afterEach(() => vi.restoreAllMocks())

  it('tell how much is left, of failed logins: each of them, a good one none', async () => {
    const { email } = await addUser()
    const logIn = (password: string) => post('/v0/token', { email, password })
    expect(await logIn(PASSWORD)).toEqual({
      status: 200,
      policy: ['"login";q=5;w=900'],
      left: ['"login";r=5;t=900'],
    })
    expect(await logIn('Wrong123')).toMatchObject({ status: 401, left: ['"login";r=4;t=900'] })
    expect(await logIn('Wrong123')).toMatchObject({ left: ['"login";r=3;t=900'] })
    expect(await logIn(PASSWORD)).toMatchObject({ left: ['"login";r=3;t=900'] })
  })

  it('tell of several the one that is nearest, and nothing of what others did with an address', async () => {
    const from = (client: string) => ({ 'CF-Connecting-IP': client })
    const { email } = await addUser()
    const fail = (address: string, client: string) =>
      post('/v0/token', { email: address, password: 'Wrong123' }, from(client))
    const at = Date.now()
    const row = env.DB.prepare("INSERT INTO attempts (id, kind, address, client, at) VALUES (?, 'login', ?, ?, ?)")
    const digest = await addressDigest(email)
    // Others have all but locked the address; and one client has failed seventeen times elsewhere.
    await env.DB.batch(
      Array.from({ length: 98 }, (_, n) => row.bind(crypto.randomUUID(), digest, `203.0.113.${n}`, at)),
    )
    await env.DB.batch(Array.from({ length: 17 }, (_, n) => row.bind(crypto.randomUUID(), `${n}`, '198.51.100.7', at)))
    expect(await fail(email, '198.51.100.8')).toMatchObject({ status: 401, left: ['"login";r=4;t=900'] })
    expect(await fail('nobody@example.com', '198.51.100.7')).toMatchObject({
      policy: ['"login-client";q=20;w=900'],
      left: ['"login-client";r=2;t=900'],
    })
    expect(await fail(email, '198.51.100.9')).toMatchObject({ status: 401 })
    const refused = await fail(email, '198.51.100.10')
    expect(refused).toMatchObject({ status: 429, policy: ['"login-address";q=100;w=900'] })
    expect(refused.left).toEqual([expect.stringMatching(/^"login-address";r=0;t=\d+$/)])
  })

  it('tell the same of mails to an address that is known and to one that is not', async () => {
    const known = (await addUser()).email
    const unknown = `${crypto.randomUUID()}@example.com`
    const ask = (email: string, path = '/v0/user/password/send') =>
      post(path, { email }, { 'CF-Connecting-IP': `2001:db8:${email.slice(0, 4)}::1` })
    const answers = [await ask(known), await ask(unknown)]
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]).toMatchObject({ policy: ['"mail";q=10;w=86400'], left: ['"mail";r=9;t=86400'] })
    expect(await ask(known, '/v0/user/verify/send')).toMatchObject({ left: ['"mail";r=8;t=86400'] })
  })

  it('tell of reports, by the client that sent them, and of none without its address', async () => {
    const body = { kind: 'cid', value: 'bafkqaaa', reason: 'It is mine.' }
    const from = { 'CF-Connecting-IP': '192.0.2.77' }
    expect(await post('/v0/report', body, from)).toEqual({
      status: 201,
      policy: ['"reports";q=20;w=3600'],
      left: ['"reports";r=19;t=3600'],
    })
    expect(await post('/v0/report', body, from)).toMatchObject({ left: ['"reports";r=18;t=3600'] })
    expect(await post('/v0/report', body, {})).toMatchObject({ status: 201, left: [] })
  })

  it('tell of Idempotency-Keys, an answer that is given again too', async () => {
    const { headers } = await signIn()
    const store = (name: string, key: string) =>
      post('/v0/folder', { name, blockchain: 'IPFS' }, { ...headers, 'Idempotency-Key': key })
    expect(await store('a', 'first')).toMatchObject({
      status: 201,
      policy: ['"idempotency";q=10000;w=86400'],
      left: ['"idempotency";r=9999;t=86400'],
    })
    expect(await store('b', 'second')).toMatchObject({ left: ['"idempotency";r=9998;t=86400'] })
    expect(await store('a', 'first')).toMatchObject({ status: 201, left: ['"idempotency";r=9998;t=86400'] })
  })
})
