import { type Context, Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import { methodNotAllowed } from '../../../platform/http/allowed-methods.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { clientOf, limitRequest } from '../../../platform/http/limit-requests.ts'
import { BODY_LIMIT, readJson } from '../../../platform/http/read-body.ts'
import { parseAs } from '../../../platform/http/read-request.ts'
import { endSession } from '../../auth/end-session.ts'
import { type LoginOutcome, logIn } from '../../auth/log-in.ts'
import { refreshAccess } from '../../auth/refresh-access.ts'
import { requireRelyingParty } from '../../auth/routes/passkeys.ts'
import { refuseLogin } from '../../auth/routes/refuse-login.ts'
import { signInOrigin } from '../../auth/sign-in-origin.ts'
import { unauthorized } from '../../auth/unauthorized.ts'
import { consoleOrigins } from '../console-origins.ts'
import { deleteSessionCookie, readSessionCookie, setSessionCookie } from '../session-cookie.ts'

/** /console/session: a session whose refresh token no script ever sees (docs/behaviour/tokens.md). */
export const consoleSession = new Hono<AppEnv>()

const METHODS = ['POST', 'PUT', 'DELETE']

consoleSession.use(async (c, next) => {
  // Its path is below the console's, whose GET answers a page.
  if (!METHODS.includes(c.req.method)) throw methodNotAllowed(METHODS)
  await limitRequest(c)
  requireOwnPage(c.req.raw, c.get('config'))
  await next()
})

consoleSession.post('/', async (c) => {
  const body = await readJson(c, BODY_LIMIT.account)
  const outcome = body.passkey === undefined ? await byPassword(c, body) : await byPasskey(c, body.passkey)
  if (outcome.kind !== 'tokens') return refuseLogin(c, outcome)
  // Whoever was logged in here before is not any more.
  const former = readSessionCookie(c)
  if (former !== undefined) await endSession(c.env.DB, c.get('config'), former, now())
  setSessionCookie(c, outcome.refreshToken)
  return c.json({ accessToken: outcome.accessToken })
})

async function byPassword(c: Context<AppEnv>, body: Record<string, unknown>): Promise<LoginOutcome> {
  const given = await parseAs(body, () => import('../../../../contract/account.ts'), 'Credentials')
  const device = c.req.header('Hookline-Device') ?? readSessionCookie(c)
  return await logIn(
    c.env.DB,
    c.get('config'),
    { ...given, client: clientOf(c), device, place: signInOrigin(c.req.raw) },
    now(),
  )
}

async function byPasskey(c: Context<AppEnv>, passkey: unknown): Promise<LoginOutcome> {
  const { logInByPasskey } = await import('../../auth/passkeys/log-in-by-passkey.ts')
  return await logInByPasskey(
    c.env.DB,
    c.get('config'),
    requireRelyingParty(c.req.url, c.get('config')),
    passkey,
    signInOrigin(c.req.raw),
    now(),
  )
}

consoleSession.put('/', async (c) => {
  const token = readSessionCookie(c)
  const given = token === undefined ? undefined : { token, rotate: true }
  const refreshed = given && (await refreshAccess(c.env.DB, c.get('config'), given, now()))
  if (!refreshed) throw unauthorized('Nobody is logged in here. Log in.', 'refresh_token_invalid')
  if (refreshed.refreshToken !== undefined) setSessionCookie(c, refreshed.refreshToken)
  return c.json({ accessToken: refreshed.accessToken })
})

consoleSession.delete('/', async (c) => {
  const refreshToken = readSessionCookie(c)
  if (refreshToken !== undefined) await endSession(c.env.DB, c.get('config'), refreshToken, now())
  deleteSessionCookie(c)
  return c.body(null, 204)
})

/**
 * Lets through only what a page of this origin sends. Browsers say so by `Sec-Fetch-Site` (Fetch Metadata Request
 * Headers); one without that header by `Origin` (RFC 6454, 7). No page can set either. @throws {AppError} 403.
 */
function requireOwnPage(request: Request, config: Pick<Config, 'baseUrl' | 'storageHost'>): void {
  const site = request.headers.get('Sec-Fetch-Site')
  const own =
    site === null
      ? request.headers.get('Origin') === consoleOrigins(request.url, config).apiOrigin
      : site === 'same-origin'
  if (!own) throw new AppError(403, 'wrong_origin', 'Only the console of this service may send this request.')
}
