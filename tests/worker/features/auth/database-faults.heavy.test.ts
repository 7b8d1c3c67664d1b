import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hashPassword } from '../../../../worker/features/auth/password-hash.ts'
import worker from '../../../../worker/index.ts'
import { parsePeppers } from '../../../../worker/platform/config/password-peppers.ts'
import { type FaultPoint, faultyEnv } from '../../faulty-env.ts'
import { fetchApi } from '../../fetch-api.ts'
import { openOutbox } from '../../outbox.ts'
import { addUser, logInQuickly, PASSWORD } from '../../sign-in.ts'
import { tokenOf } from '../accounts/post-form.ts'

/** One request that changes something, and how to see that it did. */
interface Change {
  method: string
  path: string
  body: unknown
  token?: string
  status: number
  /** What a repetition answers when the change was made, and only its answer was lost. */
  repeated: number
  /** Whether the change is there. */
  done: () => Promise<boolean>
}

let outbox: ReturnType<typeof openOutbox>
const logIn = (email: string, password: string) => fetchApi('POST', '/v0/token', { body: { email, password } })
const put = async (token: string) => (await fetchApi('PUT', '/v0/token', { body: { token } })).status
const sessionsOf = async (userId: string) =>
  (await env.DB.prepare('SELECT COUNT(*) AS n FROM sessions WHERE user_id = ?').bind(userId).first<{ n: number }>())?.n

async function mailedToken(what: 'verify' | 'password', email: string): Promise<string> {
  const before = outbox.mails.length
  await fetchApi('POST', `/v0/user/${what}/send`, { body: { email } })
  await vi.waitFor(() => expect(outbox.mails.length).toBeGreaterThan(before), { timeout: 60_000 })
  return tokenOf(outbox.lastLink(email))
}

async function addAccount(status = 1) {
  const user = await addUser({ status })
  await env.DB.prepare('UPDATE users SET password_hash = ? WHERE id = ?')
    .bind(hashPassword(PASSWORD, parsePeppers(undefined)), user.userId)
    .run()
  return user
}

/** Each sets its scene and says what is sent. */
const CHANGES: Record<string, () => Promise<Change>> = {
  'a sign-up': async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const body = { email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' }
    const done = async () => (await logIn(email, PASSWORD)).status === 202
    return { method: 'POST', path: '/v0/user', body, status: 201, repeated: 201, done }
  },
  'a verification': async () => {
    const { email } = await addAccount(2)
    const body = new URLSearchParams({ token: await mailedToken('verify', email), password: PASSWORD }).toString()
    const done = async () => (await logIn(email, PASSWORD)).status === 200
    return { method: 'POST', path: '/v0/user/verify', body, status: 200, repeated: 400, done }
  },
  'a reset': async () => {
    const { email } = await addAccount()
    const body = { token: await mailedToken('password', email), password: 'Changed1' }
    const done = async () => (await logIn(email, 'Changed1')).status === 200
    return { method: 'PUT', path: '/v0/user/password', body, status: 200, repeated: 400, done }
  },
  'a login': async () => {
    const { email, userId } = await addAccount()
    const done = async () => ((await sessionsOf(userId)) ?? 0) > 0
    return { method: 'POST', path: '/v0/token', body: { email, password: PASSWORD }, status: 200, repeated: 200, done }
  },
  'an extension': async () => {
    const { userId, accessToken: token, refreshToken } = await logInQuickly()
    const body = { token: refreshToken, exp: 600 }
    const done = async () => ((await sessionsOf(userId)) ?? 0) > 1
    return { method: 'PATCH', path: '/v0/token', body, token, status: 201, repeated: 201, done }
  },
  'a revocation': async () => {
    const { accessToken: token, refreshToken } = await logInQuickly()
    const done = async () => (await put(refreshToken)) === 401
    return {
      method: 'DELETE',
      path: '/v0/token',
      body: { token: refreshToken },
      token,
      status: 204,
      repeated: 400,
      done,
    }
  },
  'a closing': async () => {
    const { email, userId, accessToken: token, refreshToken } = await logInQuickly()
    const hash = hashPassword(PASSWORD, parsePeppers(undefined))
    await env.DB.prepare('UPDATE users SET password_hash = ? WHERE id = ?').bind(hash, userId).run()
    const done = async () => (await logIn(email, PASSWORD)).status === 404 && (await put(refreshToken)) === 401
    return { method: 'DELETE', path: '/v0/user', body: { password: PASSWORD }, token, status: 204, repeated: 401, done }
  },
}

async function send(change: Change, fault?: FaultPoint): Promise<{ status: number; calls: number }> {
  const faulty = faultyEnv(fault)
  const type = typeof change.body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json'
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://api.example${change.path}`, {
    method: change.method,
    headers: { 'Content-Type': type, ...(change.token ? { Authorization: `Bearer ${change.token}` } : {}) },
    body: typeof change.body === 'string' ? change.body : JSON.stringify(change.body),
  })
  const context = createExecutionContext()
  const { status } = await worker.fetch(request, faulty.env, context)
  await waitOnExecutionContext(context)
  return { status, calls: faulty.calls() }
}

describe('a database that is lost in the middle of', () => {
  beforeEach(() => {
    outbox = openOutbox()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    // As good as scrypt for telling passwords apart, and instant.
    vi.spyOn(crypto, 'scryptSync').mockImplementation((password, salt) =>
      crypto.createHmac('sha256', String(salt)).update(String(password)).digest(),
    )
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await env.DB.prepare('DELETE FROM attempts').run()
  })

  it.each(Object.keys(CHANGES))(
    '%s: nothing is half done, and trying again ends as if nothing had happened (F8 to F11, F18)',
    async (name) => {
      const scene = CHANGES[name]
      if (!scene) throw new Error(`There is no ${name}.`)
      const { calls } = await send(await scene())
      expect(calls).toBeGreaterThan(1)
      for (let call = 0; call < calls; call++) {
        for (const when of ['before', 'after'] as const) {
          const change = await scene()
          const where = `${name}, call ${call} of ${calls}, ${when}`
          const first = await send(change, { call, when })
          expect([503, change.status], where).toContain(first.status)
          const made = await change.done()
          if (first.status === change.status) expect(made, where).toBe(true)
          const second = await send(change)
          expect(second.status, where).toBe(made ? change.repeated : change.status)
          expect(await change.done(), where).toBe(true)
          await env.DB.prepare('DELETE FROM attempts').run()
        }
      }
    },
  )
})
