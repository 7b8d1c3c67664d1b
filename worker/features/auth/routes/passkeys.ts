import { Hono } from 'hono'
import { now, unixSeconds, unixSecondsOrNull } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError, notFound } from '../../../platform/http/errors.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { type Passkey, selectPasskeys } from '../passkeys/passkeys.ts'
import { type RelyingParty, relyingParty } from '../passkeys/relying-party.ts'
import { requireRecentLogin } from '../require-recent-login.ts'
import { requireToken } from '../require-token.ts'
import { deleteCredential } from '../sql/credentials.ts'

/** /v0/user/passkeys: what an account logs in with beside its password (docs/behaviour/accounts.md) */
export const passkeys = new Hono<AppEnv>()

passkeys.get('/', requireToken(), async (c) => {
  const found = await selectPasskeys(c.env.DB, c.get('caller').userId)
  return c.json({ passkeys: found.map(passkeyJson) })
})

passkeys.post('/options', requireToken(), requireRecentLogin(), async (c) => {
  const { registrationOptions } = await import('../passkeys/register-passkey.ts')
  const party = requireRelyingParty(c.req.url, c.get('config'))
  return c.json(await registrationOptions(c.env.DB, c.get('config'), party, c.get('caller'), now()))
})

passkeys.post('/', requireToken(), requireRecentLogin(), async (c) => {
  const given = await readRequest(c, BODY_LIMIT.account, () => import('../../../../contract/account.ts'), 'NewPasskey')
  const { registerPasskey } = await import('../passkeys/register-passkey.ts')
  const party = requireRelyingParty(c.req.url, c.get('config'))
  const made = await registerPasskey(c.env.DB, c.get('config'), party, c.get('caller'), given, now())
  return c.json(passkeyJson({ ...made, lastUsedAt: undefined }), 201)
})

passkeys.delete('/:id', requireToken(), async (c) => {
  const passkey = { id: c.req.param('id'), userId: c.get('caller').userId }
  if (!(await deleteCredential(c.env.DB, 'passkey', passkey, now()))) throw notFound('You have no such passkey.')
  return c.body(null, 204)
})

/** The relying party here. @throws {AppError} 403 where the page has an address for which browsers accept no passkeys. */
export function requireRelyingParty(requestUrl: string, config: Config): RelyingParty {
  const party = relyingParty(requestUrl, config)
  if (!party)
    throw new AppError(
      403,
      'passkeys_off',
      'Browsers accept no passkeys on an IP address. Open the console as localhost.',
    )
  return party
}

function passkeyJson({ id, name, createdAt, lastUsedAt }: Passkey) {
  return {
    id,
    name,
    createdAt: unixSeconds(createdAt),
    lastUsedAt: unixSecondsOrNull(lastUsedAt),
  }
}
