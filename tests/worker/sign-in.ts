import { env } from 'cloudflare:test'
import type { RoleName } from '../../worker/auth/roles.ts'
import { signToken } from '../../worker/auth/sign-token.ts'
import { LIFETIME, profileClaims } from '../../worker/auth/token-claims.ts'
import { readConfig } from '../../worker/bindings.ts'
import { now, nowSeconds } from '../../worker/clock.ts'
import { findUser } from '../../worker/storage/users.ts'

/** "Correct1", hashed at a cost that keeps the tests fast; rows may carry other parameters than today's. */
export const PASSWORD = 'Correct1'
export const PASSWORD_HASH = '$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$dKDerxyjpp/7HVYPNffdJhxnrmpzWjQDnOaf+PrvnWw'

/** Inserts an active account whose password is PASSWORD. */
export async function addUser(options: { email?: string; role?: RoleName; status?: number } = {}) {
  const id = crypto.randomUUID()
  const email = options.email ?? `${id}@example.com`
  const { role = 'user', status = 1 } = options
  await env.DB.prepare(
    `INSERT INTO users (id, email, password_hash, first_name, last_name, role, status, created_at)
     VALUES (?, ?, ?, 'Ada', 'Lovelace', ?, ?, ?)`,
  )
    .bind(id, email, PASSWORD_HASH, role, status, now())
    .run()
  return { userId: id, email }
}

/** An access token of an account, as a login would give it. */
export async function accessTokenOf(userId: string): Promise<string> {
  const user = await findUser(env.DB, userId)
  if (!user) throw new Error(`There is no user ${userId}.`)
  const iat = nowSeconds()
  const claims = {
    sub: userId,
    jti: crypto.randomUUID(),
    iat,
    exp: iat + LIFETIME.access,
    auth_time: iat,
    epoch: user.tokenEpoch,
  }
  return await signToken('access', { ...profileClaims(user), ...claims }, readConfig(env))
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
