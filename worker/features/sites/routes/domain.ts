import { Hono } from 'hono'
import { isObjectId } from '../../../../protocol/object-id.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidField, notFound } from '../../../platform/http/errors.ts'
import { hostName } from '../../../platform/http/host-name.ts'
import { tellLimit } from '../../../platform/http/limit-requests.ts'
import { BODY_LIMIT, readJson } from '../../../platform/http/read-body.ts'
import { countAct } from '../../auth/count-act.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'
import { checkDomain } from '../domains/check-domain.ts'
import { claimDomain, claimOrWait } from '../domains/claim-domain.ts'
import { domainJson } from '../domains/domain-json.ts'
import { findOwnDomain } from '../domains/find-own-domain.ts'
import { parseClaimedHost } from '../domains/parse-claimed-host.ts'
import { parseTarget } from '../domains/parse-target.ts'
import { releaseDomain } from '../domains/release-domain.ts'
import { requireShownItem } from '../domains/require-shown-item.ts'
import { type ListedDomain, selectDomainsOf } from '../sql/domain-lists.ts'

/** /v0/domain: hosts of users' own that show their items and sites. */
export const domain = new Hono<AppEnv>()

const PAGE = 100

domain.post('/', requireToken('store'), idempotent(), async (c) => {
  const body = await readJson(c, BODY_LIMIT.account)
  const target = parseTarget(body)
  if (body.wait !== undefined && typeof body.wait !== 'boolean') throw invalidField('wait', 'must be true or false.')
  const config = c.get('config')
  const { userId } = c.get('caller')
  const claim = { ...target, host: await parseClaimedHost(body.host, config), userId }
  await requireShownItem(c.env.DB, userId, target)
  tellLimit(c, await countAct(c.env.DB, 'domains', userId, now()))
  const surroundings = { env: c.env, config }
  const made =
    body.wait === true ? await claimOrWait(surroundings, claim, now()) : await claimDomain(surroundings, claim, now())
  const listed: ListedDomain = 'waitUntil' in made ? made : { ...made, waitUntil: null }
  return c.json(domainJson(listed, config, now()), listed.waitUntil === null ? 201 : 202)
})

domain.get('/', requireToken('store'), async (c) => {
  const { cursor = '', site } = c.req.query()
  if (site !== undefined && !isObjectId(site)) throw invalidField('site', 'must be the id of a site.')
  const found = await selectDomainsOf(c.env.DB, c.get('caller').userId, { site, cursor, limit: PAGE + 1 })
  const domains = found.slice(0, PAGE)
  return c.json({
    domains: domains.map((each) => domainJson(each, c.get('config'), now())),
    ...(found.length > PAGE ? { cursor: domains.at(-1)?.host } : {}),
  })
})

domain.get('/:host', requireToken('store'), async (c) => {
  const found = await findOwnDomain(c.env.DB, hostName(c.req.param('host')), c.get('caller').userId)
  if (!found) throw notFound('You have not claimed this host, nor do you wait for it.')
  return c.json(domainJson(found, c.get('config'), now()))
})

domain.post('/:host/check', requireToken('store'), async (c) => {
  const config = c.get('config')
  const { userId } = c.get('caller')
  tellLimit(c, await countAct(c.env.DB, 'domains', userId, now()))
  const checked = await checkDomain({ env: c.env, config }, hostName(c.req.param('host')), userId, now())
  return c.json(domainJson(checked, config, now()))
})

domain.delete('/:host', requireToken('store'), async (c) => {
  await releaseDomain({ env: c.env, config: c.get('config') }, c.req.param('host'), c.get('caller').userId)
  return c.body(null, 204)
})
