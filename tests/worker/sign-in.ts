import { env } from 'cloudflare:test'
import { LIFETIMES } from '../../contract/lifetimes.ts'
import type { RoleName } from '../../contract/scopes.ts'
import { issueToken, newTokenId } from '../../worker/features/auth/issue-token.ts'
import { insertSession } from '../../worker/features/auth/sql/sessions.ts'
import { selectUser } from '../../worker/features/auth/sql/users.ts'
import { now, nowSeconds } from '../../worker/platform/clock.ts'
import { readConfig } from '../../worker/platform/config/read-config.ts'
import { add } from './rows.ts'

/** "Correct1", hashed at a cost that keeps the tests fast; rows may carry other parameters than today's. */
export const PASSWORD = 'Correct1'
export const PASSWORD_HASH = '$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$dKDerxyjpp/7HVYPNffdJhxnrmpzWjQDnOaf+PrvnWw'

/** Inserts an active account whose password is PASSWORD. */
export async function addUser(options: { email?: string; role?: RoleName; status?: number } = {}) {
  const id = crypto.randomUUID()
  const email = options.email ?? `${id}@example.com`
  const { role = 'user', status = 1 } = options
  const names = { first_name: 'Ada', last_name: 'Lovelace' }
  await add('users', { id, email, password_hash: PASSWORD_HASH, ...names, role, status, created_at: now() })
  return { userId: id, email }
}

/** An access token of an account, as a login would give it. */
export async function accessTokenOf(userId: string): Promise<string> {
  const user = await selectUser(env.DB, userId)
  if (!user) throw new Error(`There is no user ${userId}.`)
  const iat = nowSeconds()
  const token = { jti: newTokenId(), iat, lifetime: LIFETIMES.access, authTime: iat }
  return await issueToken('access', user, token, readConfig(env))
}

/**
 * A new account with an access token, for tests that need a caller. A `user` may store and pay, an `admin`
 * everything. `headers` goes into a request as it is.
 */
export async function signIn(role: RoleName = 'user') {
  const user = await addUser({ role })
  const token = await accessTokenOf(user.userId)
  return { ...user, token, headers: { Authorization: `Bearer ${token}` } }
}

/** A new account with both tokens, as a login of `at` (milliseconds) would give them, without its hash. */
export async function logInQuickly(role: RoleName = 'user', at = now()) {
  const { userId, email } = await addUser({ role })
  return { userId, email, ...(await addTokens(userId, at)) }
}

/** Another session of an account, with its tokens. */
export async function addTokens(userId: string, at = now()) {
  const user = await selectUser(env.DB, userId)
  if (!user) throw new Error(`There is no user ${userId}.`)
  const config = readConfig(env)
  const iat = Math.floor(at / 1000)
  const jti = newTokenId()
  const session = { jti, userId, createdAt: at, expiresAt: (iat + LIFETIMES.refresh) * 1000 }
  await insertSession(env.DB, session, user)
  const access = { jti: newTokenId(), iat, lifetime: LIFETIMES.access, authTime: iat, session: jti }
  return {
    accessToken: await issueToken('access', user, access, config),
    refreshToken: await issueToken('refresh', user, { jti, iat, lifetime: LIFETIMES.refresh, authTime: iat }, config),
  }
}
