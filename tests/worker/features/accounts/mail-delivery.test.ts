import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sweepAccounts } from '../../../../worker/features/accounts/sweep-accounts.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addTokens, addUser, PASSWORD } from '../../sign-in.ts'
import { postForm, tokenOf } from './post-form.ts'

const NOW = Date.UTC(2027, 0, 1, 12)
const MINUTE = 60_000

describe('mail', () => {
  let outbox: ReturnType<typeof openOutbox>
  let email: string
  beforeEach(async () => {
    vi.setSystemTime(NOW)
    await env.DB.batch([env.DB.prepare('DELETE FROM mails'), env.DB.prepare('DELETE FROM mail_links')])
    outbox = openOutbox()
    email = `${crypto.randomUUID()}@example.com`
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  const signUp = async () => {
    const before = outbox.requests.length
    const body = { email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' }
    const response = await fetchApi('POST', '/v0/user', { body })
    await vi.waitFor(() => expect(outbox.requests.length).toBeGreaterThan(before), { timeout: 60_000 })
    return response
  }
  const sweepAt = async (time: number, config = readConfig(env)) => {
    vi.setSystemTime(time)
    await sweepAccounts(env.DB, config, time)
  }
  const waiting = async () => (await env.DB.prepare('SELECT COUNT(*) AS n FROM mails').first<{ n: number }>())?.n

  it('that the provider did not take waits, is tried again ever later, and its link works', async () => {
    outbox.status = 500
    expect((await signUp()).status).toBe(201)
    expect(outbox.requests).toHaveLength(1)
    await sweepAt(NOW + MINUTE - 1)
    expect(outbox.requests).toHaveLength(1)
    await sweepAt(NOW + MINUTE)
    expect(outbox.requests).toHaveLength(2)
    await sweepAt(NOW + 2 * MINUTE)
    expect(outbox.requests).toHaveLength(2)
    outbox.status = 202
    await sweepAt(NOW + 3 * MINUTE)
    expect(outbox.mails).toHaveLength(1)
    expect(await waiting()).toBe(0)
    expect(
      (await postForm('/v0/user/verify', { token: tokenOf(outbox.lastLink(email)), password: PASSWORD })).status,
    ).toBe(200)
  })

  it('waits while no provider is configured', async () => {
    const config = readConfig(env)
    outbox.status = 500
    await signUp()
    await sweepAt(NOW + MINUTE, { ...config, mail: undefined })
    expect(outbox.requests).toHaveLength(1)
    expect(await waiting()).toBe(1)
  })

  it('is sent by one of two runs at once', async () => {
    outbox.status = 500
    await signUp()
    outbox.status = 202
    vi.setSystemTime(NOW + MINUTE)
    const run = () => sweepAccounts(env.DB, readConfig(env), NOW + MINUTE)
    await Promise.all([run(), run(), run()])
    expect(outbox.mails).toHaveLength(1)
  })

  it('of a link that was replaced meanwhile is not sent', async () => {
    outbox.status = 500
    await signUp()
    await signUp()
    outbox.status = 202
    await sweepAt(NOW + MINUTE)
    expect(outbox.mails).toHaveLength(1)
    expect((await fetchApi('GET', outbox.lastLink(email))).status).toBe(200)
    expect(await waiting()).toBe(0)
  })

  it('is given up after a day, with everything else that has expired', async () => {
    outbox.status = 500
    await signUp()
    const { userId } = await addUser()
    await addTokens(userId)
    await fetchApi('POST', '/v0/token', { body: { email: 'a@b.com', password: 'Incorrect1' } })
    await sweepAt(NOW + 24 * 60 * MINUTE)
    for (const table of ['mails', 'mail_links', 'sessions', 'attempts']) {
      expect(await env.DB.prepare(`SELECT COUNT(*) AS n FROM ${table}`).first(), table).toEqual({ n: 0 })
    }
  })

  it('is never stored with a link that works', async () => {
    outbox.status = 500
    await signUp()
    const { results } = await env.DB.prepare('SELECT * FROM mails').all()
    expect(results).toHaveLength(1)
    expect(JSON.stringify(results)).not.toMatch(/eyJ|http/)
  })
})
