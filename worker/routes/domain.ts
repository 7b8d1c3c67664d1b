import { Hono } from 'hono'
import { isObjectId } from '../../protocol/object-id.ts'
import { requireToken } from '../auth/require-token.ts'
import type { AppEnv } from '../http/app-env.ts'
import { invalidField } from '../http/errors.ts'
import { BODY_LIMIT, readJson } from '../http/read-body.ts'
import { claimDomain, parseClaimedHost, releaseDomain } from '../sites/claim-domain.ts'
import { type Domain, selectDomainsOf } from '../storage/sites/domains.ts'

/** /v0/domain: hosts of users' own that show their items. */
export const domain = new Hono<AppEnv>()

const PAGE = 100

domain.post('/', requireToken('store'), async (c) => {
  const { host, item } = await readJson(c, BODY_LIMIT.account)
  if (!isObjectId(item)) throw invalidField('item', 'must be an object id.')
  const config = c.get('config')
  const claim = { host: parseClaimedHost(host, config), itemId: item, userId: c.get('caller').userId }
  return c.json(describe(await claimDomain({ env: c.env, config }, claim)), 201)
})

domain.get('/', requireToken('store'), async (c) => {
  const domains = await selectDomainsOf(c.env.DB, c.get('caller').userId, c.req.query('cursor') ?? '', PAGE)
  const cursor = domains.length === PAGE ? { cursor: domains.at(-1)?.host } : {}
  return c.json({ domains: domains.map(describe), ...cursor })
})

domain.delete('/:host', requireToken('store'), async (c) => {
  await releaseDomain({ env: c.env, config: c.get('config') }, c.req.param('host'), c.get('caller').userId)
  return c.body(null, 204)
})

function describe({ host, itemId, status, record }: Domain) {
  return { host, item: itemId, status, record }
}
