import { createExecutionContext, env } from 'cloudflare:test'
import crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { signUp as writeSignUp } from '../../../../worker/features/accounts/sign-up.ts'
import { withHashSlot } from '../../../../worker/features/auth/hash-slots.ts'
import { redeemVerifyLink, selectMailLink } from '../../../../worker/features/auth/sql/mail-links.ts'
import worker from '../../../../worker/index.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { faultyEnv } from '../../faulty-env.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addUser, PASSWORD } from '../../sign-in.ts'
import { decode } from '../auth/forge-token.ts'
import { postForm, tokenOf } from './post-form.ts'

const NOW = Date.UTC(2027, 0, 1, 12)

describe('signing up', () => {
  let outbox: ReturnType<typeof openOutbox>
  let email: string
  beforeEach(() => {
    vi.setSystemTime(NOW)
    outbox = openOutbox()
    email = `${crypto.randomUUID()}@example.com`
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  const signUp = async (more: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
    const before = outbox.requests.length
    const body = { email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace', ...more }
    const response = await fetchApi('POST', '/v0/user', { body, headers })
    // Mail goes out behind the answer.
    if (response.status === 201) {
      await vi.waitFor(() => expect(outbox.requests.length).toBeGreaterThan(before), { timeout: 60_000 })
    }
    return response
  }
  const verify = (token: string, password = PASSWORD) => postForm('/v0/user/verify', { token, password })
  const logIn = (password = PASSWORD) => fetchApi('POST', '/v0/token', { body: { email, password } })

  it.each([
    ['the browser', {}, { 'Accept-Language': 'fr, es;q=0.9, en;q=0.5' }, 'Confirme su dirección de correo'],
    ['the person', { language: 'de' }, { 'Accept-Language': 'es' }, 'Bestätigen Sie Ihre E-Mail-Adresse'],
    ['nobody', {}, { 'Accept-Language': 'fr' }, 'Confirm your email address'],
  ])('mails in the language that %s asks for', async (_, more, headers, subject) => {
    await signUp(more, headers)
    await vi.waitFor(() => expect(outbox.mails.at(-1)?.subject).toBe(subject))
  })

  async function liveLink() {
    const { jti } = decode(tokenOf(outbox.lastLink(email))).payload
    const link = await selectMailLink(env.DB, String(jti), NOW)
    if (!link) throw new Error('The mailed link is not live.')
    return link
  }

  it('makes an account that can log in once the button behind the mailed link was pressed, and only once', async () => {
    const signedUp = await signUp()
    expect(signedUp.status).toBe(201)
    expect(await signedUp.json()).toEqual({
      message: expect.stringContaining('mail'),
      wait: expect.stringMatching(/^[\w-]{22}$/),
    })
    expect((await logIn()).status).toBe(202)

    const link = outbox.lastLink(email)
    expect((await fetchApi('HEAD', link)).status).toBe(200)
    expect((await fetchApi('GET', link)).status).toBe(200)
    expect((await logIn()).status).toBe(202)

    expect((await verify(tokenOf(link))).status).toBe(200)
    expect((await logIn()).status).toBe(200)
    expect((await verify(tokenOf(link))).status).toBe(400)
    expect((await fetchApi('GET', link)).status).toBe(400)
  })

  it('is refused, and writes nothing, where as many wait for a hash as may', async () => {
    const held = Promise.withResolvers<void>()
    vi.spyOn(scheduler, 'wait').mockReturnValue(held.promise)
    const others = Array.from({ length: 7 }, () => withHashSlot('sign-up', () => undefined))
    const rows = async () => await env.DB.prepare('SELECT COUNT(*) AS n FROM attempts').first('n')
    const before = await rows()
    const refused = await signUp()
    held.resolve()
    await Promise.all(others)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('Retry-After')).toBe('1')
    expect(await rows()).toBe(before)
  })

  it('mails through the provider with its token, and puts no name from the form into the mail', async () => {
    await signUp({ firstName: 'Visit evil.example' })
    const [request] = outbox.requests
    expect(request?.headers.get('Authorization')).toBe('Bearer mail-secret')
    expect(request?.headers.get('Content-Type')).toBe('application/json')
    const [mail] = outbox.mails
    expect(mail).toMatchObject({ from: 'Hookline <no-reply@api.example>', to: email, subject: expect.any(String) })
    expect(Object.keys(mail ?? {}).sort()).toEqual(['from', 'html', 'subject', 'text', 'to'])
    expect(mail?.html).toContain(`<a href="https://api.example${outbox.lastLink(email)}">`)
    expect(JSON.stringify(mail)).not.toContain('evil')
  })

  it('answers the same when the address is taken, with the same work, changes nothing and tells its owner', async () => {
    const hashes = vi.spyOn(crypto, 'scryptSync')
    const fresh = await signUp()
    expect(hashes).toHaveBeenCalledTimes(1)
    const owner = await addUser({ email: `taken-${email}` })
    const taken = await signUp({ email: owner.email.toUpperCase(), firstName: 'Eve' })
    expect(hashes).toHaveBeenCalledTimes(2)
    expect(taken.status).toBe(fresh.status)
    const waits = [await fresh.json<{ wait: string }>(), await taken.json<{ wait: string }>()]
    expect({ ...waits[1], wait: '' }).toEqual({ ...waits[0], wait: '' })
    expect(waits[0]?.wait).toMatch(/^[\w-]{22}$/)
    expect(waits[1]?.wait).toMatch(/^[\w-]{22}$/)
    expect([...taken.headers]).toEqual([...fresh.headers])
    expect(outbox.mails.at(-1)).toMatchObject({ to: owner.email, subject: 'You already have an account' })
    const row = await env.DB.prepare('SELECT first_name, status FROM users WHERE email = ?').bind(owner.email).first()
    expect(row).toEqual({ first_name: 'Ada', status: 1 })
  })

  const isVerified = async (wait: string) => await (await fetchApi('GET', `/v0/user/wait/${wait}`)).json()

  it('says once, to whoever signed up, that the link was followed', async () => {
    const { wait } = await (await signUp()).json<{ wait: string }>()
    expect(await isVerified(wait)).toEqual({ verified: false })
    expect((await verify(tokenOf(outbox.lastLink(email)))).status).toBe(200)
    expect(await isVerified(wait)).toEqual({ verified: true })
    expect(await isVerified(wait)).toEqual({ verified: false })
  })

  it('says so, too, where the account then waits for its identity to be looked at', async () => {
    const { wait } = await (await signUp()).json<{ wait: string }>()
    const body = new URLSearchParams({ token: tokenOf(outbox.lastLink(email)), password: PASSWORD })
    const form = new Request<unknown, IncomingRequestCfProperties>('https://api.example/v0/user/verify', {
      method: 'POST',
      body,
    })
    const page = await worker.fetch(form, { ...env, IDENTITY_CHECK: 'manual' }, createExecutionContext())
    expect(page.status).toBe(200)
    expect(await env.DB.prepare('SELECT status FROM users WHERE email = ?').bind(email).first()).toEqual({ status: 3 })
    expect(await isVerified(wait)).toEqual({ verified: true })
  })

  it('says of a taken address, of a sign-up that was replaced and of nothing at all the same as of one that waits', async () => {
    const owner = await addUser({ email: `taken-${email}` })
    const { wait: taken } = await (await signUp({ email: owner.email })).json<{ wait: string }>()
    const { wait: replaced } = await (await signUp()).json<{ wait: string }>()
    await signUp()
    expect((await verify(tokenOf(outbox.lastLink(email)))).status).toBe(200)
    for (const wait of [taken, replaced, 'A'.repeat(22), 'x'])
      expect(await isVerified(wait)).toEqual({ verified: false })
  })

  it('A17: asks the database the same number of times for a new address and a taken one', async () => {
    const owner = await addUser()
    const calls = []
    for (const address of [email, owner.email]) {
      const faulty = faultyEnv(undefined)
      const given = { email: address, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' }
      await writeSignUp(
        faulty.env.DB,
        readConfig(env),
        given,
        { address: undefined, proof: undefined, tell: () => {} },
        NOW,
      )
      calls.push(faulty.calls())
    }
    expect(calls).toEqual([2, 2])
  })

  it('A17: is answered before the mail is on its way, to a new address and a taken one', async () => {
    const provider = Promise.withResolvers<Response>()
    vi.spyOn(globalThis, 'fetch').mockReturnValue(provider.promise)
    for (const address of [email, (await addUser()).email]) {
      const body = { email: address, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' }
      expect((await fetchApi('POST', '/v0/user', { body })).status).toBe(201)
    }
    provider.resolve(new Response(null, { status: 202 }))
  })

  it('tells the owner of a closed account that it stays closed', async () => {
    await addUser({ email, status: 0 })
    expect((await signUp()).status).toBe(201)
    expect(outbox.mails.at(-1)).toMatchObject({ to: email, subject: 'Your account is closed' })
    expect((await logIn()).status).toBe(404)
  })

  it('again before the link was followed replaces the pending account and its link', async () => {
    await signUp()
    const first = outbox.lastLink(email)
    await signUp({ password: 'Another1', firstName: 'Augusta' })
    expect((await fetchApi('GET', first)).status).toBe(400)
    expect((await verify(tokenOf(first))).status).toBe(400)
    expect((await verify(tokenOf(outbox.lastLink(email)), 'Another1')).status).toBe(200)
    expect((await logIn()).status).toBe(401)
    expect((await logIn('Another1')).status).toBe(200)
    const rows = await env.DB.prepare('SELECT first_name FROM users WHERE email = ?').bind(email).all()
    expect(rows.results).toEqual([{ first_name: 'Augusta' }])
  })

  it('twice at once makes one account, whose one live link works', async () => {
    const answers = await Promise.all([signUp({ firstName: 'A' }), signUp({ firstName: 'B' })])
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    await vi.waitFor(() => expect(outbox.mails).toHaveLength(2), { timeout: 60_000 })
    const tokens = outbox.mails.map(({ text }) => tokenOf(/\S+\?token=\S+/.exec(text)?.[0] ?? ''))
    const outcomes = []
    for (const token of tokens) outcomes.push((await verify(token)).status)
    expect(outcomes.filter((status) => status === 200)).toHaveLength(1)
    expect((await logIn()).status).toBe(200)
  })

  it('has a link that lives for 24 hours', async () => {
    await signUp()
    const link = outbox.lastLink(email)
    vi.setSystemTime(NOW + 86_400_000 - 1000)
    expect((await fetchApi('GET', link)).status).toBe(200)
    vi.setSystemTime(NOW + 86_400_000)
    expect((await fetchApi('GET', link)).status).toBe(400)
    expect((await verify(tokenOf(link))).status).toBe(400)
  })

  it('has a link that only one of many presses uses up', async () => {
    await signUp()
    const token = tokenOf(outbox.lastLink(email))
    const presses = await Promise.all(Array.from({ length: 20 }, () => verify(token)))
    expect(presses.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('has a link that voids no newer one when both are used at the same moment', async () => {
    await signUp()
    const first = await liveLink()
    await signUp()
    // What a press of the first button does that read its link before the second sign-up replaced it.
    expect(await redeemVerifyLink(env.DB, first, 1, NOW)).toBe(false)
    expect((await verify(tokenOf(outbox.lastLink(email)))).status).toBe(200)
  })

  it('A46: is not confirmed without its password: a wrong one is 401 and leaves the link', async () => {
    // Somebody signs up with the address of another, who follows the link, and does not know the password.
    await signUp({ password: 'Strangers1' })
    const token = tokenOf(outbox.lastLink(email))
    const wrong = await verify(token)
    expect(wrong.status).toBe(401)
    expect(wrong.headers.get('WWW-Authenticate')).toBe('Bearer')
    expect(await wrong.text()).toContain('<form method="post" action="/v0/user/verify">')
    expect((await postForm('/v0/user/verify', { token })).status).toBe(400)
    expect((await logIn('Strangers1')).status).toBe(202)
    expect((await verify(token, 'Strangers1')).status).toBe(200)
    expect((await logIn('Strangers1')).status).toBe(200)
  })

  it('A46: counts wrong passwords of a link as failed logins', async () => {
    await signUp()
    const token = tokenOf(outbox.lastLink(email))
    for (let time = 0; time < 5; time++) expect((await verify(token, 'Incorrect1')).status).toBe(401)
    expect((await verify(token)).status).toBe(429)
    expect((await logIn()).status).toBe(429)
    vi.setSystemTime(NOW + 15 * 60_000)
    expect((await verify(token)).status).toBe(200)
  })

  it('A46: leaves the address to its owner, who asks for a new password', async () => {
    await signUp({ password: 'Strangers1', firstName: 'Eve' })
    await env.DB.prepare("UPDATE users SET role = 'admin' WHERE email = ?").bind(email).run()
    await fetchApi('POST', '/v0/user/password/send', { body: { email } })
    await vi.waitFor(() => expect(outbox.mails).toHaveLength(2), { timeout: 60_000 })
    const reset = { token: tokenOf(outbox.lastLink(email)), password: PASSWORD }
    expect((await fetchApi('PUT', '/v0/user/password', { body: reset })).status).toBe(200)
    expect((await logIn('Strangers1')).status).toBe(401)
    const { accessToken }: { accessToken: string } = await (await logIn()).json()
    expect(decode(accessToken).payload.role).toMatchObject({ name: 'user' })
  })

  it('A46: gives the role of a user, whatever a pending account was made before', async () => {
    await signUp()
    await env.DB.prepare("UPDATE users SET role = 'admin' WHERE email = ?").bind(email).run()
    expect((await verify(tokenOf(outbox.lastLink(email)))).status).toBe(200)
    const { accessToken }: { accessToken: string } = await (await logIn()).json()
    expect(decode(accessToken).payload.role).toMatchObject({ name: 'user' })
  })

  it('sends the link again on request, the earlier one working too, and using one voids the other', async () => {
    await signUp()
    const first = outbox.lastLink(email)
    vi.setSystemTime(NOW + 60_000)
    const sent = await fetchApi('POST', '/v0/user/verify/send', { body: { email } })
    expect(sent.status).toBe(202)
    await vi.waitFor(() => expect(outbox.mails).toHaveLength(2), { timeout: 60_000 })
    const second = outbox.lastLink(email)
    expect(second).not.toBe(first)
    expect((await verify(tokenOf(first))).status).toBe(200)
    expect((await verify(tokenOf(second))).status).toBe(400)
  })

  it.each([
    ['email', { email: 'nobody' }],
    ['password', { password: 'short' }],
    ['password', { password: undefined }],
    ['firstName', { firstName: undefined }],
    ['firstName', { firstName: '  ' }],
    ['firstName', { firstName: 7 }],
    ['lastName', { lastName: 'x'.repeat(101) }],
    ['lastName', { lastName: 'a\u0000b' }],
    ['lastName', { lastName: 'a\r\nBcc: b' }],
    ['lastName', { lastName: '\ud800' }],
  ])('is refused with 400 naming %s in %j, without a hash', async (field, wrong) => {
    const hashes = vi.spyOn(crypto, 'scryptSync')
    const response = await signUp(wrong)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ message: expect.stringContaining(field), code: 'invalid_field' })
    expect(hashes).not.toHaveBeenCalled()
  })

  it('A47: is enough thirty times a day for one mailbox, whatever stands behind a plus, from wherever', async () => {
    vi.spyOn(crypto, 'scryptSync').mockImplementation(() => Buffer.alloc(32))
    const at = (time: number) => email.replace('@', `+${time}@`)
    for (let time = 0; time < 30; time++) {
      expect((await signUp({ email: at(time) }, { 'CF-Connecting-IP': `192.0.2.${time}` })).status).toBe(201)
    }
    const refused = await signUp({ email: at(30) }, { 'CF-Connecting-IP': '192.0.2.30' })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('86400')
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('24 hours') })
    expect((await signUp({ email: `other-${email}` }, { 'CF-Connecting-IP': '192.0.2.30' })).status).toBe(201)
    vi.setSystemTime(NOW + 86_400_000)
    expect((await signUp({ email: at(31) }, { 'CF-Connecting-IP': '192.0.2.31' })).status).toBe(201)
  })

  it('A47: is enough a hundred times from one address; without one nobody is locked out by another', async () => {
    vi.spyOn(crypto, 'scryptSync').mockImplementation(() => Buffer.alloc(32))
    const insert = env.DB.prepare("INSERT INTO attempts (id, kind, address, client, at) VALUES (?, 'mail', ?, ?, ?)")
    for (const client of ['198.51.100.1', 'unknown']) {
      const rows = Array.from({ length: 100 }, () => insert.bind(crypto.randomUUID(), crypto.randomUUID(), client, NOW))
      await env.DB.batch(rows)
    }
    expect((await signUp({}, { 'CF-Connecting-IP': '198.51.100.1' })).status).toBe(429)
    expect((await signUp({}, { 'CF-Connecting-IP': '198.51.100.2' })).status).toBe(201)
    expect((await signUp({ email: `a${email}` })).status).toBe(201)
  })

  it('ten times for one address from one place is enough for a day, whether or not it has an account', async () => {
    vi.spyOn(crypto, 'scryptSync').mockImplementation(() => Buffer.alloc(32))
    const owner = await addUser()
    const refusals = []
    for (const address of [email, owner.email]) {
      for (let time = 0; time < 10; time++) expect((await signUp({ email: address })).status).toBe(201)
      const refused = await signUp({ email: address })
      refusals.push({ status: refused.status, body: await refused.text(), headers: [...refused.headers] })
    }
    expect(refusals[0]?.status).toBe(429)
    expect(refusals[1]).toEqual(refusals[0])
  })
})
