import type { Context, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { type Permission, scopesOf } from '../../../contract/scopes.ts'
import { now } from '../../platform/clock.ts'
import type { AppEnv } from '../../platform/http/app-env.ts'
import { AppError } from '../../platform/http/errors.ts'
import { networkOfClient, runInQueue } from '../../platform/http/limit-concurrency.ts'
import { type Caller, readCredential } from './find-caller.ts'
import { hasPaidBefore } from './paying-accounts.ts'

/** What handlers behind {@link requireToken} find in their context. */
export interface CallerEnv {
  Bindings: AppEnv['Bindings']
  Variables: AppEnv['Variables'] & { caller: Caller }
}

/**
 * Lets a request through that carries a live access token, with `permission` if one is named, and sets `caller`. An API
 * key is accepted where `KEY_ROUTES` says so. Put it on each handler, not on a whole app: 405 for a method is
 * answered first. Accounts take turns where many send requests at once, those known to have paid before the others.
 * @throws {AppError} 401 with `WWW-Authenticate`, 403, 503.
 */
export function requireToken(permission?: Permission): MiddlewareHandler<CallerEnv> {
  return async function requireToken(c, next) {
    const service = {
      db: c.env.DB,
      config: c.get('config'),
      waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
    }
    const { account, findCaller } = await readCredential(service, c.req.header('Authorization'), now())
    const first = account !== undefined && hasPaidBefore(account)
    const place = { owner: account ?? networkOfClient(c), first }
    await runInQueue(account === undefined ? 'key' : 'account', place, async () => {
      const caller = await findCaller()
      if (caller.key) requireScope(c, caller.key)
      if (permission !== undefined && !caller.permissions.includes(permission)) {
        throw new AppError(403, 'permission_missing', `This needs the permission "${permission}".`)
      }
      c.set('caller', caller)
      await next()
    })
  }
}

function requireScope(c: Context<CallerEnv>, key: NonNullable<Caller['key']>): void {
  const scopes = scopesOf(c.req.method, routePath(c))
  if (scopes.length === 0) {
    throw new AppError(
      403,
      'key_not_taken',
      'This operation does not accept API keys. Log in, and send an access token.',
    )
  }
  if (scopes.some((scope) => key.scopes.includes(scope))) return
  const wanted = scopes.map((scope) => `"${scope}"`).join(' or ')
  throw new AppError(403, 'scope_missing', `This needs an API key with the scope ${wanted}.`)
}
