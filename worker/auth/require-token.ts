import type { Context, MiddlewareHandler } from 'hono'
import { nowSeconds } from '../clock.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { CodeOf } from '../http/error-codes.ts'
import { AppError } from '../http/errors.ts'
import type { RoleName } from '../storage/accounts/users.ts'
import { selectUser, USER_STATUS } from '../storage/accounts/users.ts'
import { type Permission, ROLES } from './roles.ts'
import { verifyToken } from './verify-token.ts'

/** Who sent the request: the account as it is now, not as it was when the token was made. */
export interface Caller {
  userId: string
  email: string
  firstName: string
  lastName: string
  role: RoleName
  permissions: readonly Permission[]
}

/** What handlers behind {@link requireToken} find in their context. */
export interface CallerEnv {
  Bindings: AppEnv['Bindings']
  Variables: AppEnv['Variables'] & { caller: Caller }
}

/**
 * Lets a request through that carries a live access token, with `permission` if one is named, and sets
 * `caller`. Put it on each handler, not on a whole app: a method that does not exist is told first.
 * @throws {AppError} 401 with `WWW-Authenticate`, 403.
 */
export function requireToken(permission?: Permission): MiddlewareHandler<CallerEnv> {
  return async function requireToken(c, next) {
    const caller = await findCaller(c)
    if (permission !== undefined && !caller.permissions.includes(permission)) {
      throw new AppError(403, 'permission_missing', `This needs the permission "${permission}".`)
    }
    c.set('caller', caller)
    await next()
  }
}

async function findCaller(c: Context<CallerEnv>): Promise<Caller> {
  const [, token] = /^Bearer +([^\s,]+)$/i.exec(c.req.header('Authorization') ?? '') ?? []
  if (!token) throw unauthorized('Send an access token as "Authorization: Bearer <token>".', 'token_missing')
  const verdict = await verifyToken(token, 'access', c.get('config'), nowSeconds())
  if (!verdict.valid) throw refuse(verdict.reason)
  const user = await selectUser(c.env.DB, verdict.claims.sub)
  if (user?.status !== USER_STATUS.active) throw refuse('no_active_user')
  if (user.tokenEpoch !== verdict.claims.epoch) throw refuse('ended')
  const { id: userId, email, firstName, lastName, role } = user
  return { userId, email, firstName, lastName, role, permissions: ROLES[role] }
}

function refuse(reason: string): AppError {
  console.info('access token refused:', reason)
  return tokenEnded()
}

/** 401 for a token that is none, or no longer. */
export function tokenEnded(): AppError {
  return unauthorized('The access token is not valid, or no longer. Log in or refresh it.', 'token_invalid')
}

/** 401 with the challenge that RFC 9110, 15.5.2 asks for. */
export function unauthorized(message: string, code: CodeOf<401>): AppError {
  return new AppError(401, code, message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
