import { Hono } from 'hono'
import { inWords, LIFETIMES } from '../../../../contract/lifetimes.ts'
import { now, unixSeconds } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError, notFound } from '../../../platform/http/errors.ts'
import { limitConcurrency } from '../../../platform/http/limit-concurrency.ts'
import { clientOf } from '../../../platform/http/limit-requests.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { requireToken } from '../../auth/require-token.ts'
import { deleteSession, selectSessions } from '../../auth/sql/sessions.ts'
import { consumeSignUpWait } from '../../auth/sql/sign-up-waits.ts'
import { confirmIdentity, selectUser } from '../../auth/sql/users.ts'
import { changeProfile, readProfileChange } from '../change-profile.ts'
import { closeAccount } from '../close-account.ts'
import { deliverMail } from '../deliver-mail.ts'
import { preferredLanguage } from '../preferred-language.ts'
import { readProfile } from '../read-profile.ts'
import { signUp } from '../sign-up.ts'

const schemas = () => import('../../../../contract/account.ts')
const links = () => import('../mailed-links.ts')

/** /v0/user (docs/behaviour/accounts.md) */
export const user = new Hono<AppEnv>()

user.post('/', limitConcurrency(), async (c) => {
  const given = await readRequest(c, BODY_LIMIT.account, schemas, 'NewUser')
  const language = given.language ?? preferredLanguage(c.req.header('Accept-Language'))
  const { mail, wait } = await signUp(c.env.DB, c.get('config'), { ...given, language }, clientOf(c), now())
  // After the answer, as every mail: how long it takes must not reveal whether the address was known.
  c.executionCtx.waitUntil(deliverMail(c.env.DB, c.get('config'), mail, now()))
  return c.json(
    {
      message: `A mail is on its way. Follow the link in it within ${inWords(LIFETIMES.mailLink)} to confirm your address.`,
      wait,
    },
    201,
  )
})

user.get('/', requireToken(), async (c) => {
  const { userId, key } = c.get('caller')
  const found = await selectUser(c.env.DB, userId)
  if (!found) throw notFound('There is no such account.')
  const profile = await readProfile(c.env.DB, found, c.get('config'), key, now())
  return sendJson(c, profile)
})

// The same for the address of an account, a pending sign-up and none at all.
user.get('/wait/:wait', async (c) =>
  c.json({ verified: await consumeSignUpWait(c.env.DB, c.req.param('wait'), now()) }),
)

user.put('/', requireToken(), async (c) => {
  const change = readProfileChange(await readRequest(c, BODY_LIMIT.account, schemas, 'NewNames'))
  const config = c.get('config')
  const caller = { ...c.get('caller'), client: clientOf(c) }
  const changed = await changeProfile(c.env.DB, config, caller, change, now())
  const profile = await readProfile(c.env.DB, changed, config, undefined, now())
  return sendJson(c, profile)
})

user.delete('/', requireToken(), async (c) => {
  const { password, leave = false } = await readRequest(c, BODY_LIMIT.account, schemas, 'Closing')
  const { userId, authTime } = c.get('caller')
  const given = { userId, authTime, password, client: clientOf(c), leave }
  await closeAccount(c.env.DB, c.get('config'), given, now())
  return c.body(null, 204)
})

user.post('/verify/send', limitConcurrency(), async (c) => (await links()).sendLink(c, 'verify'))
user.post('/password/send', limitConcurrency(), async (c) => (await links()).sendLink(c, 'reset'))

user.post('/email/send', limitConcurrency(), requireToken(), async (c) => (await links()).askNewEmail(c))

user.put('/password', async (c) => (await links()).setPassword(c))

user.get('/sessions', requireToken(), async (c) => {
  const { userId, session } = c.get('caller')
  const sessions = await selectSessions(c.env.DB, userId, now())
  return c.json({
    sessions: sessions.map(({ jti, createdAt, expiresAt, device, country }) => ({
      jti,
      created: unixSeconds(createdAt),
      expires: unixSeconds(expiresAt),
      current: jti === session,
      device: device ?? null,
      country: country ?? null,
    })),
  })
})

user.delete('/sessions/:jti', requireToken(), async (c) => {
  const { userId } = c.get('caller')
  if (!(await deleteSession(c.env.DB, c.req.param('jti'), userId, now()))) throw notFound('You have no such session.')
  return c.body(null, 204)
})

user.put('/:id/identity', requireToken('users'), async (c) => {
  await readRequest(c, BODY_LIMIT.account, schemas, 'ConfirmedIdentity')
  const id = c.req.param('id')
  if (!(await confirmIdentity(c.env.DB, id, c.get('caller').userId, now()))) {
    const found = await selectUser(c.env.DB, id)
    if (!found) throw notFound('There is no such account.')
    if (found.status !== 1)
      throw new AppError(409, 'identity_not_due', 'This account is not waiting for its identity to be checked.')
  }
  return c.body(null, 204)
})
