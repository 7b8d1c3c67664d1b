import { env } from 'cloudflare:test'
import crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DECOY_HASH } from '../../../../worker/features/auth/password-hash.ts'
import { fetchApi } from '../../fetch-api.ts'
import { addMany } from '../../rows.ts'
import { addUser, PASSWORD } from '../../sign-in.ts'
import { holdHashQueue } from './hold-hash-queue.ts'

const NOW = Date.UTC(2027, 0, 1, 12)
const MINUTE = 60_000

describe('failed logins', () => {
  let hashes: ReturnType<typeof vi.spyOn>
  beforeEach(async () => {
    vi.setSystemTime(NOW)
    // Each test counts from nothing. No hash matches, and none takes its 200 ms.
    await env.DB.prepare('DELETE FROM attempts').run()
    hashes = vi.spyOn(crypto, 'scryptSync').mockImplementation(() => Buffer.alloc(32, 1))
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  const logIn = (email: string, ip = '192.0.2.1', password = 'Incorrect1') =>
    fetchApi('POST', '/v0/token', { body: { email, password }, headers: { 'CF-Connecting-IP': ip } })
  const statuses = async (answers: Promise<Response>[]) => (await Promise.all(answers)).map(({ status }) => status)
  const someone = () => `${crypto.randomUUID()}@example.com`
  /** Failures that happened before, without asking for each. */
  async function fail(count: number, email: string, ip: string, kind = 'login') {
    const digest = crypto.createHash('sha256').update(email).digest('hex')
    const insert = env.DB.prepare('INSERT INTO attempts (id, kind, address, client, at) VALUES (?, ?, ?, ?, ?)')
    await env.DB.batch(Array.from({ length: count }, () => insert.bind(crypto.randomUUID(), kind, digest, ip, NOW)))
  }

  it.each(['known', 'unknown'])(
    'A18: five for a %s address from one IP, then 429, even with the right password',
    async (kind) => {
      const email = kind === 'known' ? (await addUser()).email : someone()
      for (let failure = 1; failure <= 5; failure++) expect((await logIn(email)).status).toBe(401)
      const refused = await logIn(email)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('Retry-After')).toBe('900')
      expect(await refused.json()).toEqual({
        message: expect.stringContaining('15 minutes'),
        code: 'too_many_requests',
      })
      expect(hashes).toHaveBeenCalledTimes(5)

      hashes.mockRestore()
      vi.setSystemTime(NOW + 15 * MINUTE - 1)
      expect((await logIn(email, '192.0.2.1', PASSWORD)).status).toBe(429)
      vi.setSystemTime(NOW + 15 * MINUTE)
      expect((await logIn(email, '192.0.2.1', PASSWORD)).status).toBe(kind === 'known' ? 200 : 401)
    },
  )

  it('A17: cannot be told apart by the hashes they cost: one each, known, unknown, pending and closed', async () => {
    const emails = [someone()]
    for (const status of [0, 1, 2, 3]) emails.push((await addUser({ status })).email)
    await env.DB.prepare('UPDATE users SET password_hash = ?').bind(DECOY_HASH).run()
    for (const [index, email] of emails.entries()) {
      expect((await logIn(email)).status).toBe(401)
      expect(hashes).toHaveBeenCalledTimes(index + 1)
    }
    for (const [, , length, cost] of hashes.mock.calls) {
      expect([length, cost]).toEqual([32, { N: 32_768, r: 8, p: 3, maxmem: 2 ** 26 }])
    }
  })

  it('A17: cannot be told apart by answer or work once they are locked out', async () => {
    const answers = []
    for (const email of [someone(), (await addUser()).email]) {
      await fail(5, email, '192.0.2.1')
      const answer = await logIn(email)
      answers.push({ status: answer.status, headers: [...answer.headers], body: await answer.text() })
    }
    expect(answers[0]).toMatchObject({ status: 429 })
    expect(answers[1]).toEqual(answers[0])
    expect(hashes).not.toHaveBeenCalled()
  })

  it('are counted one by one when they come at once', async () => {
    const answers = await statuses(Array.from({ length: 8 }, () => logIn(someone(), '192.0.2.9')))
    expect(answers).toEqual(Array(8).fill(401))
    const email = someone()
    const parallel = await statuses(Array.from({ length: 8 }, () => logIn(email)))
    expect(parallel.filter((status) => status === 401)).toHaveLength(5)
    expect(parallel.filter((status) => status === 429)).toHaveLength(3)
    expect(hashes).toHaveBeenCalledTimes(13)
    expect((await logIn(email)).status).toBe(429)
  })

  it('are not what logins under way are taken for: the sixth at once waits a second, not a quarter of an hour', async () => {
    const { email } = await addUser()
    hashes.mockRestore()
    const openQueue = holdHashQueue()
    const busy: Response[] = []
    const logins = Array.from({ length: 8 }, async () => {
      const answer = await logIn(email, '192.0.2.1', PASSWORD)
      if (answer.status === 429) busy.push(answer)
      return answer.status
    })
    await vi.waitFor(() => expect(busy).toHaveLength(3), { timeout: 60_000 })
    expect(busy.map(({ headers }) => headers.get('Retry-After'))).toEqual(['1', '1', '1'])
    openQueue()
    expect((await Promise.all(logins)).filter((status) => status === 200)).toHaveLength(5)
    expect((await logIn(email, '192.0.2.1', PASSWORD)).status).toBe(200)
  })

  it('include those that were interrupted', async () => {
    const email = someone()
    await fail(5, email, '192.0.2.1', 'pending')
    const retryAfter = async () => (await logIn(email)).headers.get('Retry-After')
    expect(await retryAfter()).toBe('1')
    vi.setSystemTime(NOW + 30_001)
    expect(Number(await retryAfter())).toBeGreaterThan(800)
    vi.setSystemTime(NOW + 15 * MINUTE)
    expect((await logIn(email)).status).toBe(401)
  })

  it('A20: twenty from one IP, then 429 for any address; another IP is free', async () => {
    for (let failure = 0; failure < 20; failure++) await fail(1, someone(), '192.0.2.1')
    expect((await logIn(someone())).status).toBe(429)
    expect((await logIn(someone(), '192.0.2.2')).status).toBe(401)
  })

  it('A20: without an address of their own lock nobody out but the account that they are for', async () => {
    await addMany('attempts', 40, { id: 'n', kind: "'login'", address: 'n', client: "'unknown'", at: String(NOW) })
    const body = { email: someone(), password: 'Incorrect1' }
    for (const status of [401, 401, 401, 401, 401, 429]) {
      expect((await fetchApi('POST', '/v0/token', { body })).status).toBe(status)
    }
    expect((await fetchApi('POST', '/v0/token', { body: { ...body, email: someone() } })).status).toBe(401)
  })

  it('A20: count a whole /64 of IPv6 as one', async () => {
    for (let failure = 0; failure < 20; failure++) await fail(1, someone(), '2001:0db8:0000:0001')
    expect((await logIn(someone(), '2001:db8:0:1:ffff::1')).status).toBe(429)
    expect((await logIn(someone(), '2001:db8:0:2::1')).status).toBe(401)
  })

  it('a hundred for one address from many IPs, then 429', async () => {
    const email = someone()
    for (let ip = 0; ip < 25; ip++) await fail(4, email, `198.51.100.${ip}`)
    expect((await logIn(email)).status).toBe(429)
    expect((await logIn(someone())).status).toBe(401)
  })

  it('are believed to come from Cloudflare’s header only', async () => {
    const email = someone()
    await fail(5, email, '192.0.2.1')
    const body = { email, password: 'Incorrect1' }
    const headers = { 'CF-Connecting-IP': '192.0.2.1', 'X-Forwarded-For': '203.0.113.7', 'X-Real-IP': '203.0.113.7' }
    expect((await fetchApi('POST', '/v0/token', { body, headers })).status).toBe(429)
  })

  it('do not include logins that succeed', async () => {
    const { email } = await addUser()
    hashes.mockRestore()
    for (let login = 0; login < 6; login++) expect((await logIn(email, '192.0.2.1', PASSWORD)).status).toBe(200)
  })

  it('do not include those that were turned away because too many hashes wait', async () => {
    const openQueue = holdHashQueue()
    let busy = 0
    const logins = Array.from({ length: 30 }, async (_, index) => {
      const { status } = await logIn(someone(), `192.0.2.${index}`)
      if (status === 429) busy++
    })
    await vi.waitFor(() => expect(busy).toBe(11), { timeout: 60_000 })
    openQueue()
    await Promise.all(logins)
    const row = await env.DB.prepare('SELECT COUNT(*) AS n FROM attempts').first<{ n: number }>()
    expect(row?.n).toBe(19)
    expect(hashes).toHaveBeenCalledTimes(19)
  })
})
