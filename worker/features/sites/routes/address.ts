import { Hono } from 'hono'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { requireToken } from '../../auth/require-token.ts'
import { evictAddress } from '../addresses/resolve-address.ts'
import { selectAddress, withdrawAddress } from '../sql/site-addresses.ts'

const schemas = () => import('../../../../contract/site.ts')

/** POST /v0/address/<address>/withdraw: a moderator takes the address of a site away, for ever. */
export const address = new Hono<AppEnv>()

address.post('/:address/withdraw', requireToken('moderate'), async (c) => {
  const { reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'Withdrawn')
  const label = c.req.param('address')
  if (!(await selectAddress(c.env.DB, label))) throw notFound('No site has or had this address.')
  await withdrawAddress(c.env.DB, label, { by: c.get('caller').userId, reason, at: now() })
  evictAddress(label)
  return c.body(null, 204)
})
