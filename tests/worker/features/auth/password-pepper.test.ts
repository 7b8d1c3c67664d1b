import { createExecutionContext, env } from 'cloudflare:test'
import crypto from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import worker from '../../../../worker/index.ts'
import { addUser, PASSWORD } from '../../sign-in.ts'

const OLD = Buffer.alloc(32, 1).toString('base64url')
const NEW = Buffer.alloc(32, 2).toString('base64url')

/** A login at the Worker as deployed with this setting. */
async function logIn(pepper: string, email: string, password = PASSWORD) {
  const request = new Request<unknown, IncomingRequestCfProperties>('https://api.example/v0/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const response = await worker.fetch(request, { ...env, PASSWORD_PEPPER: pepper }, createExecutionContext())
  return { status: response.status, body: await response.json<object>(), headers: [...response.headers.keys()] }
}

async function hashOf(email: string): Promise<string> {
  const row = await env.DB.prepare('SELECT password_hash FROM users WHERE email = ?')
    .bind(email)
    .first<{ password_hash: string }>()
  return row?.password_hash ?? ''
}

/** In place of scrypt. */
function quickly(password: crypto.BinaryLike, salt: crypto.BinaryLike) {
  return crypto.createHmac('sha256', String(salt)).update(String(password)).digest()
}

/** An account with a hash that was made so. */
async function addAccount() {
  const user = await addUser()
  const [salt, digest] = [Buffer.alloc(16), quickly(PASSWORD, Buffer.alloc(16))].map((bytes) =>
    bytes.toString('base64').replace(/=+$/, ''),
  )
  const hash = `$scrypt$ln=15,r=8,p=3$${salt}$${digest}`
  await env.DB.prepare('UPDATE users SET password_hash = ? WHERE id = ?').bind(hash, user.userId).run()
  return user
}

const keyIdOf = async (email: string) => /,keyid=([^$]+)/.exec(await hashOf(email))?.[1]

describe('a pepper', () => {
  let log: ReturnType<typeof vi.spyOn>
  let hashes: ReturnType<typeof vi.spyOn>

  beforeEach(() => {
    log = vi.spyOn(console, 'error').mockImplementation(() => {})
    // As good as scrypt for telling passwords apart, and instant.
    hashes = vi.spyOn(crypto, 'scryptSync').mockImplementation((password, salt) => quickly(password, salt))
  })
  afterEach(() => vi.restoreAllMocks())

  it('A49: goes into a hash at the next login: what stands in D1 is then an HMAC of what scrypt gives', async () => {
    const { email } = await addAccount()
    expect((await logIn(OLD, email)).status).toBe(200)
    const [, salt = '', digest] = /,keyid=[\w+/]{11}\$([^$]+)\$([^$]+)$/.exec(await hashOf(email)) ?? []
    const plain = quickly(PASSWORD, Buffer.from(salt, 'base64'))
    const hashed = crypto.createHmac('sha256', Buffer.from(OLD, 'base64url')).update(plain).digest()
    expect(digest).toBe(hashed.toString('base64').replace(/=+$/, ''))
    expect((await logIn(OLD, email)).status).toBe(200)
    expect((await logIn(OLD, email, 'Wrong123')).status).toBe(401)
    expect(log).not.toHaveBeenCalled()
  })

  it('is rotated: the old one second, the hash is renewed at the next login, and the old one can then go', async () => {
    const { email } = await addAccount()
    await logIn(OLD, email)
    const before = await keyIdOf(email)
    // Known everywhere before it is used anywhere.
    expect((await logIn(`${OLD},${NEW}`, email)).status).toBe(200)
    expect(await keyIdOf(email)).toBe(before)
    expect((await logIn(`${NEW},${OLD}`, email)).status).toBe(200)
    expect(await keyIdOf(email)).not.toBe(before)
    expect((await logIn(NEW, email)).status).toBe(200)
    expect((await logIn('', email)).status).toBe(401)
  })

  it('is taken out of use behind "none", and nobody is locked out who logged in meanwhile', async () => {
    const { email } = await addAccount()
    await logIn(OLD, email)
    expect((await logIn(`none,${OLD}`, email)).status).toBe(200)
    expect(await keyIdOf(email)).toBeUndefined()
    expect((await logIn('', email)).status).toBe(200)
  })

  it('A17, A49: that was removed locks out only those whose hash names it: as a wrong password, at the same work', async () => {
    const [with_, without] = [await addAccount(), await addAccount()]
    await logIn(OLD, with_.email)
    const hash = await hashOf(with_.email)
    hashes.mockClear()
    const refused = await logIn('', with_.email)
    expect(hashes).toHaveBeenCalledTimes(1)
    expect(refused).toEqual(await logIn('', `${crypto.randomUUID()}@example.com`))
    expect(hashes).toHaveBeenCalledTimes(2)
    expect(refused.status).toBe(401)
    expect(log).toHaveBeenCalledExactlyOnceWith('pepper_missing', await keyIdOf(with_.email), expect.any(String))
    expect(log.mock.calls.flat().join(' ')).toContain(with_.userId)
    expect((await logIn('', without.email)).status).toBe(200)
    // Nothing was lost: it comes back with the setting.
    expect(await hashOf(with_.email)).toBe(hash)
    expect((await logIn(OLD, with_.email)).status).toBe(200)
  })
})
