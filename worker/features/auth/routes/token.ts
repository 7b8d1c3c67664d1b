import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { clientOf } from '../../../platform/http/limit-requests.ts'
import { BODY_LIMIT, readOptionalJson } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { endSession } from '../end-session.ts'
import { extendSession } from '../extend-session.ts'
import { logIn } from '../log-in.ts'
import { refreshAccess } from '../refresh-access.ts'
import { requireToken } from '../require-token.ts'
import { signInOrigin } from '../sign-in-origin.ts'
import { unauthorized } from '../unauthorized.ts'
import { requireRelyingParty } from './passkeys.ts'
import { refuseLogin } from './refuse-login.ts'

const schemas = () => import('../../../../contract/account.ts')

/** /v0/token (docs/behaviour/tokens.md) */
export const token = new Hono<AppEnv>()

token.post('/', async (c) => {
  const given = await readRequest(c, BODY_LIMIT.account, schemas, 'Credentials')
  const device = c.req.header('Hookline-Device')
  const outcome = await logIn(
    c.env.DB,
    c.get('config'),
    { ...given, client: clientOf(c), device, place: signInOrigin(c.req.raw) },
    now(),
  )
  if (outcome.kind !== 'tokens') return refuseLogin(c, outcome)
  return c.json({ accessToken: outcome.accessToken, refreshToken: outcome.refreshToken })
})

token.post('/passkey', async (c) => {
  const { loginOptions } = await import('../passkeys/log-in-by-passkey.ts')
  return c.json(await loginOptions(c.get('config'), requireRelyingParty(c.req.url, c.get('config')), now()))
})

token.put('/', async (c) => {
  const body = await readOptionalJson(c, BODY_LIMIT.account)
  if (!body) return c.body(null, 401, { 'WWW-Authenticate': 'Bearer' })
  const { token, rotate = false } = await parseAs(body, schemas, 'Renewal')
  const refreshed = await refreshAccess(c.env.DB, c.get('config'), { token, rotate }, now())
  if (!refreshed) {
    throw unauthorized('The refresh token is not valid, or no longer. Log in again.', 'refresh_token_invalid')
  }
  return c.json(refreshed, 201)
})

token.delete('/', requireToken(), async (c) => {
  const { token: refreshToken } = await readRequest(c, BODY_LIMIT.account, schemas, 'RefreshToken')
  if (!(await endSession(c.env.DB, c.get('config'), refreshToken, now(), c.get('caller').userId))) {
    throw new AppError(400, 'revocation_failed', 'Revocation failed: "token" is not a live refresh token of yours.')
  }
  return c.body(null, 204)
})

token.patch('/', requireToken(), async (c) => {
  const { token: refreshToken, exp: lifetime } = await readRequest(c, BODY_LIMIT.account, schemas, 'Extension')
  const given = { caller: c.get('caller'), refreshToken, lifetime }
  return c.json({ refreshToken: await extendSession(c.env.DB, c.get('config'), given, now()) }, 201)
})
