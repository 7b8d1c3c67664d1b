import { type Permission, ROLES, type RoleName } from '../../../contract/scopes.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import type { AppError } from '../../platform/http/errors.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { hashApiKey, isApiKeyShaped } from './keys/api-key.ts'
import { type ApiKey, type KeyOwner, selectApiKeyByHash, updateLastUsed } from './sql/api-keys.ts'
import { selectUser, USER_STATUS } from './sql/users.ts'
import type { TokenClaims } from './token-claims.ts'
import { keyEnded, tokenEnded, unauthorized } from './unauthorized.ts'
import { verifyToken } from './verify-token.ts'

/** The most that an API key can do, even if its account has more permissions. */
const KEY_PERMISSIONS: readonly Permission[] = ['store', 'pay']

/** Who sent the request: the account as it is now, not as it was when the token was made. */
export interface Caller {
  userId: string
  email: string
  firstName: string
  lastName: string
  role: RoleName
  permissions: readonly Permission[]
  tokenEpoch: number
  /** When the password or a passkey was last given, in Unix seconds; nothing for an API key. */
  authTime: number | undefined
  /** The refresh token of the session that an access token is of; nothing for an API key. */
  session: string | undefined
  /** When the token or the key ends, in Unix seconds; nothing for a key that does not. */
  expiresAt: number | undefined
  /** The API key of the request, in place of an access token. */
  key: ApiKey | undefined
}

interface Service {
  db: D1Database
  config: Config
  waitUntil: (work: Promise<unknown>) => void
}

/** Accounts of the keys that were accepted, by hash: in which queue a request waits is known before the query. */
const accountsOfKeys = new MemoryCache<string>(1 << 10)

/** What a request carries, before any query. */
export interface Credential {
  /** The account of a signed token, or of a key that was accepted before; `undefined` for another key, which may be made up. */
  account: string | undefined
  /** The caller, by a query to D1. @throws {AppError} 401. */
  findCaller(): Promise<Caller>
}

/** The credential in the `Authorization` of a request. `now` in milliseconds. @throws {AppError} 401. */
export async function readCredential(
  service: Service,
  authorization: string | undefined,
  now: number,
): Promise<Credential> {
  const [, token] = /^Bearer +([^\s,]+)$/i.exec(authorization ?? '') ?? []
  if (!token) throw unauthorized('Send an access token as "Authorization: Bearer <token>".', 'token_missing')
  if (isApiKeyShaped(token)) {
    const hash = await hashApiKey(token)
    const account = hash === undefined ? undefined : accountsOfKeys.get(hash)
    return { account, findCaller: () => findByKey(service, hash, now) }
  }
  const verdict = await verifyToken(token, 'access', service.config, unixSeconds(now))
  if (!verdict.valid) throw refuse(verdict.reason)
  const { claims } = verdict
  return { account: claims.sub, findCaller: () => findByClaims(service, claims) }
}

async function findByClaims({ db }: Service, claims: TokenClaims): Promise<Caller> {
  const user = await selectUser(db, claims.sub)
  if (user?.status !== USER_STATUS.active) throw refuse('no_active_user')
  if (user.tokenEpoch !== claims.epoch) throw refuse('ended')
  const { auth_time: authTime, exp: expiresAt, session } = claims
  return { ...describe(user), permissions: ROLES[user.role], authTime, session, expiresAt, key: undefined }
}

async function findByKey({ db, waitUntil }: Service, hash: string | undefined, now: number): Promise<Caller> {
  if (hash === undefined) throw keyEnded()
  const found = await selectApiKeyByHash(db, hash, now)
  if (found?.user.status !== USER_STATUS.active) throw keyEnded()
  const { key, user } = found
  accountsOfKeys.set(hash, user.id, 2 * user.id.length)
  waitUntil(updateLastUsed(db, key.id, now).catch(logNotWritten))
  const permissions = ROLES[user.role].filter((permission) => KEY_PERMISSIONS.includes(permission))
  const expiresAt = key.expiresAt === undefined ? undefined : unixSeconds(key.expiresAt)
  return { ...describe(user), permissions, authTime: undefined, session: undefined, expiresAt, key }
}

function describe({ id: userId, email, firstName, lastName, role, tokenEpoch }: KeyOwner) {
  return { userId, email, firstName, lastName, role, tokenEpoch }
}

function logNotWritten(error: unknown): void {
  logOnceAMinute('error', 'key_use_not_written', error instanceof Error ? error.message : 'unknown')
}

function refuse(reason: string): AppError {
  console.info('token_refused', reason)
  return tokenEnded()
}
