import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { listJson } from '../../../platform/http/coins-json.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { sendJson } from '../../../platform/http/send-json.ts'
import { keyJson } from '../keys/key-json.ts'
import { createKey, readNewKey } from '../keys/new-key.ts'
import { requireRecentLogin } from '../require-recent-login.ts'
import { requireToken } from '../require-token.ts'
import { selectApiKeys } from '../sql/api-keys.ts'
import { deleteCredential } from '../sql/credentials.ts'

const schemas = () => import('../../../../contract/account.ts')

/** The statements that end what a key of a user made, before the one that deletes the key; `now` in milliseconds. */
type EndMadeByKey = (db: D1Database, key: { id: string; userId: string }, now: number) => D1PreparedStatement[]

/** /v0/user/keys: keys for programs (docs/behaviour/accounts.md). `endMadeByKey` is passed in: webhooks stand above. */
export function userKeyRoutes(endMadeByKey: EndMadeByKey): Hono<AppEnv> {
  const userKeys = new Hono<AppEnv>()

  userKeys.get('/', requireToken(), async (c) => {
    const keys = await selectApiKeys(c.env.DB, c.get('caller').userId)
    return sendJson(c, listJson('keys', keys.map(keyJson)))
  })

  userKeys.post('/', requireToken(), requireRecentLogin(), async (c) => {
    const given = readNewKey(await readRequest(c, BODY_LIMIT.account, schemas, 'NewKey'), now())
    const service = { db: c.env.DB, quotas: c.get('config').quotas }
    return c.json(await createKey(service, c.get('caller'), given, now()), 201)
  })

  userKeys.delete('/:id', requireToken(), async (c) => {
    const key = { id: c.req.param('id'), userId: c.get('caller').userId }
    const ended = endMadeByKey(c.env.DB, key, now())
    if (!(await deleteCredential(c.env.DB, 'key', key, now(), ended))) throw notFound('You have no such key.')
    return c.body(null, 204)
  })
  return userKeys
}
