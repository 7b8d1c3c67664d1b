import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { selectSessions } from '../../../../worker/features/auth/sql/sessions.ts'
import { fetchApi } from '../../fetch-api.ts'
import { addTokens, addUser, logInQuickly, PASSWORD } from '../../sign-in.ts'
import { decode } from './forge-token.ts'
import { holdHashQueue } from './hold-hash-queue.ts'

const put = (token: string) => fetchApi('PUT', '/v0/token', { body: { token } })
const patch = (access: string, token: string, exp = 600) =>
  fetchApi('PATCH', '/v0/token', { token: access, body: { token, exp } })
const revoke = (access: string, token: string) => fetchApi('DELETE', '/v0/token', { token: access, body: { token } })

describe('sessions under parallel requests', () => {
  // The clock stands still: however slow the machine is, no request waits too long in a queue.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('A27, A28: PUT does not rotate: 50 at once all give access tokens, and the session stays one', async () => {
    const { refreshToken, userId } = await logInQuickly()
    const answers = await Promise.all(Array.from({ length: 50 }, () => put(refreshToken)))
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201))
    const rows = await env.DB.prepare('SELECT jti FROM sessions WHERE user_id = ?').bind(userId).all()
    expect(rows.results).toEqual([{ jti: decode(refreshToken).payload.jti }])
  })

  it('A30: of 50 parallel DELETEs one answers 204, and what begins after it never succeeds', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    let revoked = false
    const late: number[] = []
    const attempt = async (index: number) => {
      for (let round = 0; round < 4; round++) {
        const begunAfter = revoked
        const { status } = await (index % 2 === 0 ? put(refreshToken) : patch(accessToken, refreshToken))
        if (begunAfter) late.push(status)
      }
    }
    const deletion = async () => {
      const { status } = await revoke(accessToken, refreshToken)
      if (status === 204) revoked = true
      return status
    }
    const attempts = Array.from({ length: 50 }, (_, index) => attempt(index))
    const deletions = await Promise.all(Array.from({ length: 50 }, deletion))
    await Promise.all(attempts)
    expect(deletions.filter((status) => status === 204)).toHaveLength(1)
    expect(deletions.filter((status) => status === 400)).toHaveLength(49)
    // However late the one that answered 204 was.
    await Promise.all([attempt(0), attempt(1)])
    expect(late.length).toBeGreaterThanOrEqual(8)
    expect(late.filter((status) => status === 201)).toEqual([])
  })

  it('A31: a session that was ended by a reset has no child that was made after it', async () => {
    const { accessToken, refreshToken, userId } = await logInQuickly()
    await env.DB.batch([
      env.DB.prepare('UPDATE users SET token_epoch = token_epoch + 1 WHERE id = ?').bind(userId),
      env.DB.prepare('DELETE FROM sessions WHERE user_id = ?').bind(userId),
    ])
    const answers = await Promise.all([put(refreshToken), patch(accessToken, refreshToken)])
    expect(answers.map(({ status }) => status)).toEqual([401, 401])
  })

  it('A30: a reset that comes while the password of a login is being checked wins', async () => {
    const { email, userId } = await addUser()
    const openQueue = holdHashQueue()
    const login = fetchApi('POST', '/v0/token', { body: { email, password: PASSWORD } })
    const counted = async () => {
      expect(await env.DB.prepare('SELECT COUNT(*) AS n FROM attempts').first()).toEqual({ n: 1 })
    }
    await vi.waitFor(counted, { interval: 5, timeout: 60_000 })
    await env.DB.prepare('UPDATE users SET token_epoch = token_epoch + 1 WHERE id = ?').bind(userId).run()
    openQueue()
    expect((await login).status).toBe(401)
    expect(await selectSessions(env.DB, userId, 0)).toEqual([])
  })

  it('A36: the 21st long-lived token is a failed generation, also when all are asked for at once; short ones are not counted', async () => {
    const { accessToken, refreshToken } = await logInQuickly()
    const long = await Promise.all(Array.from({ length: 25 }, () => patch(accessToken, refreshToken, 86_401)))
    expect(long.filter(({ status }) => status === 201)).toHaveLength(20)
    const refused = long.filter(({ status }) => status === 400)
    expect(refused).toHaveLength(5)
    expect(await refused[0]?.json()).toMatchObject({ code: 'too_many_sessions' })
    expect((await patch(accessToken, refreshToken, 86_400)).status).toBe(201)
    const made = await long.find(({ status }) => status === 201)?.json<{ refreshToken: string }>()
    expect((await revoke(accessToken, made?.refreshToken ?? '')).status).toBe(204)
    expect((await patch(accessToken, refreshToken, 86_401)).status).toBe(201)
  })

  it('F8: nothing is half done when the database is lost between two steps', async () => {
    const { accessToken, refreshToken, userId } = await logInQuickly()
    const before = await env.DB.prepare('SELECT COUNT(*) AS n FROM sessions WHERE user_id = ?').bind(userId).first()
    vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1_ERROR: Network connection lost.')
    })
    const answers = await Promise.all([put(refreshToken), patch(accessToken, refreshToken)])
    vi.restoreAllMocks()
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('Retry-After')).toBe('5')
    }
    const after = await env.DB.prepare('SELECT COUNT(*) AS n FROM sessions WHERE user_id = ?').bind(userId).first()
    expect(after).toEqual(before)
    expect((await put(refreshToken)).status).toBe(201)
  })

  it('lists the live sessions of the caller and ends one by its id', async () => {
    const mine = await logInQuickly()
    const second = await addTokens(mine.userId, Date.now() + 1000)
    const other = await logInQuickly()
    const listed = await fetchApi('GET', '/v0/user/sessions', { token: mine.accessToken })
    expect(listed.status).toBe(200)
    const { sessions } = await listed.json<{ sessions: { jti: string; created: number; expires: number }[] }>()
    const jti = (token: string) => String(decode(token).payload.jti)
    expect(sessions.map((session) => session.jti)).toEqual([jti(second.refreshToken), jti(mine.refreshToken)])
    for (const { created, expires } of sessions) {
      expect(expires - created).toBe(86_400)
    }
    const end = (id: string) => fetchApi('DELETE', `/v0/user/sessions/${id}`, { token: mine.accessToken })
    expect((await end(jti(other.refreshToken))).status).toBe(404)
    expect((await end(jti(second.refreshToken))).status).toBe(204)
    expect((await end(jti(second.refreshToken))).status).toBe(404)
    expect((await put(second.refreshToken)).status).toBe(401)
    expect((await put(mine.refreshToken)).status).toBe(201)
    expect((await put(other.refreshToken)).status).toBe(201)
  })
})
