import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ApiRequest, fetchApi } from '../../../fetch-api.ts'
import { addMany } from '../../../rows.ts'
import { addTokens, signIn } from '../../../sign-in.ts'
import { Authenticator, type Deviation } from './authenticator.ts'

type Body = Record<string, unknown>

let user: Awaited<ReturnType<typeof signIn>>
let device: Authenticator
beforeEach(async () => {
  user = await signIn()
  device = new Authenticator()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function call(method: string, path: string, request: ApiRequest = {}): Promise<Body & { status: number }> {
  const response = await fetchApi(method, path, request)
  const text = await response.text()
  const answer: Body = text === '' ? {} : JSON.parse(text)
  return { ...answer, status: response.status }
}

const challengeOf = async (path: string, token?: string) => String((await call('POST', path, { token })).challenge)

async function register(deviation: Deviation = {}, token = user.token, challenge?: string) {
  const asked = challenge ?? (await challengeOf('/v0/user/passkeys/options', token))
  const body = { name: 'Phone', response: device.create(asked, deviation) }
  return await call('POST', '/v0/user/passkeys', { token, body })
}

const enter = (passkey: unknown) =>
  call('POST', '/console/session', { headers: { 'Sec-Fetch-Site': 'same-origin' }, body: { passkey } })
const logIn = async (deviation: Deviation = {}) => enter(device.get(await challengeOf('/v0/token/passkey'), deviation))

describe('a passkey', () => {
  it('logs in at the console once it was added, as a fresh login', async () => {
    expect(await register()).toMatchObject({ status: 201, name: 'Phone', lastUsedAt: null })
    const { status, accessToken } = await logIn()
    expect(status).toBe(200)
    const token = String(accessToken)
    expect(await call('GET', '/v0/user', { token })).toMatchObject({ id: user.userId })
    expect((await call('POST', '/v0/user/passkeys/options', { token })).status).toBe(200)
    expect(await call('GET', '/v0/user/passkeys', { token })).toMatchObject({
      passkeys: [{ name: 'Phone', lastUsedAt: expect.any(Number) }],
    })
  })

  it('is asked for by the host of BASE_URL, and has to be unlocked by its owner', async () => {
    expect(await call('POST', '/v0/token/passkey')).toMatchObject({ rpId: 'api.example', userVerification: 'required' })
    await register()
    expect(await call('POST', '/v0/user/passkeys/options', { token: user.token })).toMatchObject({
      rp: { id: 'api.example' },
      user: { name: user.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: device.id.toString('base64url'), transports: ['internal'] }],
    })
  })

  it('is listed and removed by its owner only, and then logs in no more', async () => {
    const { id } = await register()
    const other = await signIn()
    expect(await call('GET', '/v0/user/passkeys', { token: other.token })).toMatchObject({ passkeys: [] })
    expect((await call('DELETE', `/v0/user/passkeys/${id}`, { token: other.token })).status).toBe(404)
    expect((await call('DELETE', `/v0/user/passkeys/${id}`, { token: user.token })).status).toBe(204)
    expect(await logIn()).toMatchObject({ status: 401, code: 'passkey_invalid' })
  })

  it.each([
    ['closed', 0, 404],
    ['waiting for its mail', 2, 202],
    ['waiting for its identity', 3, 201],
  ])('of an account that is %s is answered as its password would be', async (_, status, expected) => {
    await register()
    await env.DB.prepare('UPDATE users SET status = ? WHERE id = ?').bind(status, user.userId).run()
    expect((await logIn()).status).toBe(expected)
  })
})

describe('A48: a passkey is refused', () => {
  it.each([
    ['of a page of another origin', { origin: 'https://api.example.evil.test' }],
    ['for another relying party', { party: 'evil.test' }],
    ['that nobody unlocked', { flags: 0x01 }],
    ['that was made for another purpose', { type: 'webauthn.create' }],
  ])('%s', async (_, deviation: Deviation) => {
    await register()
    expect(await logIn(deviation)).toMatchObject({ status: 401, code: 'passkey_invalid' })
    expect((await logIn()).status).toBe(200)
  })

  it.each([
    ['of a page of another origin', { origin: 'https://evil.test' }],
    ['for another relying party', { party: 'evil.test' }],
    ['that nobody unlocked', { flags: 0x41 }],
    ['that is an answer to something else', { type: 'webauthn.get' }],
  ])('as a new one %s', async (_, deviation: Deviation) => {
    expect(await register(deviation)).toMatchObject({ status: 400, code: 'passkey_refused' })
  })

  it('that was signed with another key, whatever its id says', async () => {
    await register()
    const id = device.id.toString('base64url')
    const forged = { ...new Authenticator().get(await challengeOf('/v0/token/passkey')), id, rawId: id }
    expect(await enter(forged)).toMatchObject({ status: 401, code: 'passkey_invalid' })
    expect((await logIn()).status).toBe(200)
  })

  it('the second time that it answers one challenge, also at once', async () => {
    await register()
    const passkey = device.get(await challengeOf('/v0/token/passkey'), { counter: 0 })
    const answers = await Promise.all([enter(passkey), enter(passkey), enter(passkey)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    expect((await enter(passkey)).status).toBe(401)
  })

  it('when its counter goes back, as that of a copy does', async () => {
    await register()
    expect((await logIn({ counter: 7 })).status).toBe(200)
    expect((await logIn({ counter: 6 })).status).toBe(401)
  })

  it('after five minutes, and for a challenge that nobody made, or made for something else', async () => {
    await register()
    const start = Date.now()
    const challenge = await challengeOf('/v0/token/passkey')
    vi.spyOn(Date, 'now').mockReturnValue(start + 6 * 60_000)
    expect((await enter(device.get(challenge))).status).toBe(401)
    vi.spyOn(Date, 'now').mockReturnValue(start)
    const forged = Buffer.from(challenge, 'base64url')
    forged.writeUInt8(forged.readUInt8(30) ^ 1, 30)
    expect((await enter(device.get(forged.toString('base64url')))).status).toBe(401)
    const registering = await challengeOf('/v0/user/passkeys/options', user.token)
    expect((await enter(device.get(registering))).status).toBe(401)
    const fresh = new Authenticator()
    device = fresh
    expect((await register({}, user.token, challenge)).status).toBe(400)
    const other = await signIn()
    expect((await register({}, other.token, registering)).status).toBe(400)
  })

  it('as a new one that somebody has already', async () => {
    await register()
    const other = await signIn()
    expect((await register({}, other.token)).status).toBe(400)
  })

  it('as a new one without a login of the last ten minutes', async () => {
    const { accessToken: token } = await addTokens(user.userId, Date.now() - 601_000)
    for (const path of ['/v0/user/passkeys/options', '/v0/user/passkeys']) {
      expect(await call('POST', path, { token, body: {} })).toMatchObject({ status: 403, code: 'login_again' })
    }
  })

  it('above twenty', async () => {
    const challenge = await challengeOf('/v0/user/passkeys/options', user.token)
    await addMany('passkeys', 20, { user_id: `'${user.userId}'` })
    const full = { status: 409, code: 'quota_exceeded', quota: 'passkeys', limit: 20, used: 20 }
    expect(await register({}, user.token, challenge)).toMatchObject(full)
    expect(await call('POST', '/v0/user/passkeys/options', { token: user.token })).toMatchObject(full)
  })

  it.each([
    ['nothing', null],
    ['text', 'x'],
    ['no parts', { type: 'public-key', id: 'AA', response: {} }],
    ['another type', { type: 'password', id: 'AA', response: {} }],
    ['other letters', { type: 'public-key', id: '+/==', response: {} }],
  ])('when it is %s', async (_, passkey) => {
    expect(await enter(passkey)).toMatchObject({ status: 400, code: 'invalid_field' })
    const body = { name: 'Phone', response: passkey }
    expect(await call('POST', '/v0/user/passkeys', { token: user.token, body })).toMatchObject({ status: 400 })
  })

  it('from a page of another origin, before anything is looked at', async () => {
    await register()
    const passkey = device.get(await challengeOf('/v0/token/passkey'))
    const response = await fetchApi('POST', '/console/session', { body: { passkey } })
    expect(response.status).toBe(403)
    await response.body?.cancel()
  })
})

it('A48: nothing of a login that nobody finished is kept', async () => {
  const count = () => env.DB.prepare('SELECT COUNT(*) AS n FROM passkey_challenges').first<{ n: number }>()
  const before = await count()
  await Promise.all(Array.from({ length: 10 }, () => call('POST', '/v0/token/passkey')))
  expect(await count()).toEqual(before)
})
