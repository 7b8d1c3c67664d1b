import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Client } from '../../platform/http/limit-requests.ts'
import { checkPassword } from './check-password.ts'
import { isQueueFull } from './hash-slots.ts'
import { issueToken, newTokenId } from './issue-token.ts'
import { knownDevice, readDevice } from './known-device.ts'
import { checkProof, proofNeeded, QUEUE_FULL } from './proof.ts'
import type { SignInOrigin } from './sign-in-origin.ts'
import { insertSession } from './sql/sessions.ts'
import { selectUserByEmail, USER_STATUS, type User } from './sql/users.ts'

export type LoginOutcome =
  | { kind: 'tokens'; accessToken: string; refreshToken: string }
  | { kind: 'wrong_credentials' | 'passkey_invalid' | 'email_pending' | 'identity_pending' | 'closed' }

/**
 * Logs in; the state of an account is returned only to a caller who has its password. `device` is an earlier refresh token,
 * unchecked. `now` in milliseconds.
 */
export async function logIn(
  db: D1Database,
  config: Config,
  given: { email: string; password: string; client: Client; device: string | undefined; place: SignInOrigin },
  now: number,
): Promise<LoginOutcome> {
  const device = await readDevice(config, given.device, now)
  // Before any query: logins without a proof cost nothing then.
  if (!device && isQueueFull('login') && !(await checkProof(config.tokenKeys, given, now))) {
    throw await proofNeeded(config.tokenKeys, given, QUEUE_FULL, now)
  }
  const user = await selectUserByEmail(db, given.email)
  const known = await knownDevice(db, device, user?.id)
  const matches = await checkPassword(db, config, { ...given, known }, user, now)
  return matches && user ? await openSession(db, config, user, given.place, now) : { kind: 'wrong_credentials' }
}

/** Begins a session of somebody who has just proven to be `user`, if the account may log in. `now` in milliseconds. */
export async function openSession(
  db: D1Database,
  config: Config,
  user: User,
  place: SignInOrigin,
  now: number,
): Promise<LoginOutcome> {
  if (user.status === USER_STATUS.closed) return { kind: 'closed' }
  if (user.status === USER_STATUS.emailPending) return { kind: 'email_pending' }
  if (user.status === USER_STATUS.identityPending) return { kind: 'identity_pending' }

  const iat = unixSeconds(now)
  const jti = newTokenId()
  const session = { jti, userId: user.id, createdAt: now, expiresAt: (iat + LIFETIMES.refresh) * 1000, ...place }
  // A reset or a closing in between wins.
  if (!(await insertSession(db, session, user))) return { kind: 'wrong_credentials' }
  const access = { jti: newTokenId(), iat, lifetime: LIFETIMES.access, authTime: iat, session: jti }
  return {
    kind: 'tokens',
    accessToken: await issueToken('access', user, access, config),
    refreshToken: await issueToken('refresh', user, { jti, iat, lifetime: LIFETIMES.refresh, authTime: iat }, config),
  }
}
