import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import { MAX_LONG_SESSIONS } from '../../../../contract/limits.ts'
import { extendSession } from '../../../../worker/features/auth/extend-session.ts'
import { issueToken } from '../../../../worker/features/auth/issue-token.ts'
import { knownDevice, readDevice } from '../../../../worker/features/auth/known-device.ts'
import { selectUser } from '../../../../worker/features/auth/sql/users.ts'
import { useRefreshToken } from '../../../../worker/features/auth/use-refresh-token.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add, addMany, clear, list, read } from '../../rows.ts'

const { DB } = env
const config = readConfig(env)
/** Seconds. */
const NOW = 1_900_000_000
const DAY = 86_400

beforeEach(async () => {
  await clear('sessions', 'users')
  await add('users', { id: 'ada' }, { id: 'bob' })
  await add('sessions', { jti: 'first', expires_at: (NOW + DAY) * 1000 })
})

/** A refresh token of ada's session. */
async function token(given: { iat?: number; authTime?: number; generation?: number; kind?: 'access' } = {}) {
  const user = await selectUser(DB, 'ada')
  if (!user) throw new Error('There is no ada.')
  const { iat = NOW, authTime = iat, generation, kind = 'refresh' } = given
  const lifetime = kind === 'access' ? LIFETIMES.access : DAY
  const session =
    generation === undefined ? { jti: 'first' } : { jti: `of ${generation}`, session: 'first', generation }
  return await issueToken(kind, user, { ...session, iat, lifetime, authTime }, config)
}

describe('a refresh token', () => {
  const use = async (given: string, db = DB) =>
    await useRefreshToken(db, config, { token: given, rotate: true }, NOW * 1000)

  it('of a generation that was never issued is not good, and ends nothing', async () => {
    expect(await use(await token({ generation: 3 }))).toBeUndefined()
    expect(await read('sessions', 'jti', 'generation')).toEqual({ first: 0 })
  })

  it('gives way to other requests of its session five times, and says that it is busy then', async () => {
    let tries = 0
    const never = (sql: string) => {
      const isRotation = sql.startsWith('UPDATE sessions SET generation')
      if (isRotation) tries++
      return DB.prepare(isRotation ? `${sql} AND false` : sql)
    }
    const db = new Proxy(DB, { get: (target, name) => (name === 'prepare' ? never : Reflect.get(target, name)) })
    await expect(use(await token(), db)).rejects.toMatchObject({ status: 503, code: 'busy' })
    expect([tries, await list('sessions', 'generation')]).toEqual([5, [0]])
  })
})

describe('a refresh token with a lifetime of choice', () => {
  const extend = async (lifetime: number, given: { userId?: string; authTime?: number; of?: string } = {}) => {
    const { userId = 'ada', authTime = NOW, of = await token() } = given
    return await extendSession(DB, config, { caller: { userId, authTime }, refreshToken: of, lifetime }, NOW * 1000)
  }
  const lives = () => list("sessions WHERE jti <> 'first'", '(expires_at - created_at) / 1000')

  it('is of the session of its owner, whoever has the token of that', async () => {
    await expect(extend(60, { userId: 'bob' })).rejects.toMatchObject({ code: 'generation_failed' })
    await expect(extend(60, { of: await token({ kind: 'access' }) })).rejects.toMatchObject({
      code: 'generation_failed',
    })
    await extend(60)
    await clear('sessions')
    await expect(extend(60)).rejects.toMatchObject({ code: 'generation_failed' })
  })

  it('needs a recent login where it is long', async () => {
    const authTime = NOW - LIFETIMES.recentLogin - 1
    await extend(LIFETIMES.longRefresh, { authTime })
    await expect(extend(LIFETIMES.longRefresh + 1, { authTime })).rejects.toMatchObject({ code: 'login_too_old' })
    await extend(LIFETIMES.longRefresh + 1, { authTime: NOW - LIFETIMES.recentLogin })
    expect(await lives()).toEqual([LIFETIMES.longRefresh, LIFETIMES.longRefresh + 1])
  })

  it('never lives longer after the login than any token may', async () => {
    const authTime = NOW - LIFETIMES.sinceLogin + DAY
    const of = await token({ authTime })
    await expect(extend(DAY + 1, { of })).rejects.toMatchObject({ status: 400, code: 'invalid_field' })
    await extend(DAY, { of })
  })

  it('is one of so many that live long', async () => {
    const long = { jti: "'long' || n", created_at: '0', expires_at: `${(NOW + DAY) * 1000}` }
    await addMany('sessions', MAX_LONG_SESSIONS, long)
    await expect(extend(LIFETIMES.longRefresh)).rejects.toMatchObject({ code: 'too_many_sessions' })
    await extend(LIFETIMES.refresh)
  })
})

describe('a device', () => {
  const device = async (given: Parameters<typeof token>[0]) => await readDevice(config, await token(given), NOW * 1000)

  it('is known by a refresh token of the last ninety days that is none of the future', async () => {
    expect(await device({ iat: NOW - LIFETIMES.knownDevice })).toMatchObject({ sub: 'ada' })
    expect(await device({ iat: NOW - LIFETIMES.knownDevice - 1 })).toBeUndefined()
    expect(await device({ iat: NOW + 1 })).toBeUndefined()
    expect(await device({ kind: 'access' })).toBeUndefined()
    for (const given of [undefined, '', 'x', 'a.b.c'])
      expect(await readDevice(config, given, NOW * 1000)).toBeUndefined()
  })

  it('is one of its own account, since its last reset', async () => {
    const claims = await device({ iat: NOW - 5 })
    expect(await knownDevice(DB, claims, 'ada')).toBe(`ada ${NOW - 5}`)
    for (const userId of ['bob', undefined]) expect(await knownDevice(DB, claims, userId)).toBeUndefined()
    expect(await knownDevice(DB, undefined, 'ada')).toBeUndefined()
    await DB.prepare("UPDATE users SET device_epoch = 1 WHERE id = 'bob'").run()
    expect(await knownDevice(DB, claims, 'ada')).toBeDefined()
    await DB.prepare("UPDATE users SET device_epoch = 1 WHERE id = 'ada'").run()
    expect(await knownDevice(DB, claims, 'ada')).toBeUndefined()
    await clear('sessions', 'users')
    expect(await knownDevice(DB, claims, 'ada')).toBeUndefined()
  })
})
