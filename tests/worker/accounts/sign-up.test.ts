import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchApi } from '../fetch-api.ts'
import { openOutbox } from '../outbox.ts'
import { addUser } from '../sign-in.ts'

const ada = { password: 'Correct1', firstName: 'Ada', lastName: 'Lovelace' }

describe('signing up', () => {
  let outbox: ReturnType<typeof openOutbox>
  let email: string
  beforeEach(() => {
    outbox = openOutbox()
    email = `${crypto.randomUUID()}@example.com`
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('makes a pending account, and one that can log in once the button behind the mailed link was pressed', async () => {
    const signedUp = await fetchApi('POST', '/v0/user', { body: { ...ada, email } })
    expect(signedUp.status).toBe(201)
    expect(await signedUp.json()).toEqual({ message: expect.stringContaining('mail') })
    expect((await fetchApi('POST', '/v0/token', { body: { ...ada, email } })).status).toBe(202)

    const link = outbox.lastLink(email)
    const page = await fetchApi('GET', link)
    expect(page.status).toBe(200)
    expect((await fetchApi('POST', '/v0/token', { body: { ...ada, email } })).status).toBe(202)

    const token = new URLSearchParams(link.split('?')[1]).get('token') ?? ''
    const press = () =>
      fetchApi('POST', '/v0/user/verify', {
        body: new URLSearchParams({ token }).toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      })
    expect((await press()).status).toBe(200)
    expect((await fetchApi('POST', '/v0/token', { body: { ...ada, email } })).status).toBe(200)
    expect((await press()).status).toBe(400)
    expect((await fetchApi('GET', link)).status).toBe(400)
  })

  it('answers the same when the address is taken, changes nothing and tells its owner', async () => {
    const fresh = await fetchApi('POST', '/v0/user', { body: { ...ada, email } })
    const owner = await addUser({ email: `taken-${email}` })
    const taken = await fetchApi('POST', '/v0/user', { body: { ...ada, email: owner.email, firstName: 'Eve' } })
    expect(taken.status).toBe(fresh.status)
    expect(await taken.text()).toBe(await fresh.text())
    expect([...taken.headers]).toEqual([...fresh.headers])
    expect(outbox.mails.at(-1)).toMatchObject({ to: owner.email, subject: 'You already have an account' })
    const row = await env.DB.prepare('SELECT first_name, status FROM users WHERE email = ?').bind(owner.email).first()
    expect(row).toEqual({ first_name: 'Ada', status: 1 })
  })
})
