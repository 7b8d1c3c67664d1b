import { Hono } from 'hono'
import type { NewDomain } from '../../../../contract/site.ts'
import { now, unixSecondsOrNull } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import { cutPage } from '../../../platform/d1/page-key.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidField, notFound } from '../../../platform/http/errors.ts'
import { hostName } from '../../../platform/http/host-name.ts'
import { setRateLimitHeaders } from '../../../platform/http/limit-requests.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { limitAction } from '../../auth/limit-action.ts'
import { requireToken } from '../../auth/require-token.ts'
import { checkDomain } from '../domains/check-domain.ts'
import { claimDomain, claimOrWait } from '../domains/claim-domain.ts'
import { mergeSteps, parseSteps } from '../domains/domain-steps.ts'
import { findOwnDomain } from '../domains/find-own-domain.ts'
import { parseClaimedHost } from '../domains/parse-claimed-host.ts'
import { refuseClaim } from '../domains/refuse-claim.ts'
import { releaseDomain } from '../domains/release-domain.ts'
import { recordText, wantedRecords } from '../domains/wanted-records.ts'
import { requireShownItem } from '../require-stored-item.ts'
import { type ListedDomain, selectDomainsOf } from '../sql/domain-lists.ts'
import type { DomainTarget } from '../sql/domains.ts'

const schemas = () => import('../../../../contract/site.ts')

/** /v0/domain: hosts of users' own that show their items and sites. */
export const domain = new Hono<AppEnv>()

const PAGE = 100

domain.post('/', requireToken('store'), idempotent(), async (c) => {
  const { host, wait, ...shown } = await readRequest(c, BODY_LIMIT.account, schemas, 'NewDomain')
  const target = readTarget(shown)
  const config = c.get('config')
  const { userId } = c.get('caller')
  const claim = { ...target, host: await parseClaimedHost(host, config), userId }
  await requireShownItem(c.env.DB, userId, target)
  setRateLimitHeaders(c, await limitAction(c.env.DB, 'domains', userId, now()))
  const deps = { env: c.env, config }
  const made = wait ? await claimOrWait(deps, claim, now()) : await claimDomain(deps, claim, now())
  const listed: ListedDomain = 'waitUntil' in made ? made : { ...made, waitUntil: null }
  return c.json(domainJson(listed, config, now()), listed.waitUntil === null ? 201 : 202)
})

domain.get('/', requireToken('store'), async (c) => {
  const { cursor = '', site } = await parseAs(c.req.query(), schemas, 'DomainQuery')
  const found = await selectDomainsOf(c.env.DB, c.get('caller').userId, { site, cursor, limit: PAGE + 1 })
  const page = cutPage(found, ({ host }) => host, PAGE)
  return c.json({ domains: page.shown.map((each) => domainJson(each, c.get('config'), now())), cursor: page.cursor })
})

domain.get('/:host', requireToken('store'), async (c) => {
  const found = await findOwnDomain(c.env.DB, hostName(c.req.param('host')), c.get('caller').userId)
  if (!found) throw notFound('You have neither claimed this host nor a pending claim of it.')
  return c.json(domainJson(found, c.get('config'), now()))
})

domain.get('/:host/claim', requireToken('store'), async (c) => {
  const config = c.get('config')
  const host = await parseClaimedHost(c.req.param('host'), config)
  await refuseClaim({ env: c.env, config }, { host, userId: c.get('caller').userId }, now())
  return c.body(null, 204)
})

domain.post('/:host/check', requireToken('store'), async (c) => {
  const config = c.get('config')
  const { userId } = c.get('caller')
  setRateLimitHeaders(c, await limitAction(c.env.DB, 'domains', userId, now()))
  const checked = await checkDomain({ env: c.env, config }, hostName(c.req.param('host')), userId, now())
  return c.json(domainJson(checked, config, now()))
})

domain.delete('/:host', requireToken('store'), async (c) => {
  await releaseDomain({ env: c.env, config: c.get('config') }, c.req.param('host'), c.get('caller').userId)
  return c.body(null, 204)
})

/** What a domain is to show: a site or an item, one of them. @throws {AppError} 400. */
function readTarget({ site, item }: Pick<NewDomain, 'site' | 'item'>): DomainTarget {
  if (site !== undefined && item !== undefined) throw invalidField('item', 'must be left out where there is a site.')
  if (site !== undefined) return { kind: 'site', id: site }
  if (item !== undefined) return { kind: 'item', id: item }
  throw invalidField('item', 'or site must be given.')
}

/** A host of a user as the API answers it; times in Unix seconds, `now` in milliseconds. */
function domainJson(domain: ListedDomain, config: Pick<Config, 'storageHost'>, now: number) {
  const { host, kind, id, waitUntil } = domain
  const records = wantedRecords(host, domain, config)
  return {
    host,
    item: kind === 'item' ? id : null,
    site: kind === 'site' ? id : null,
    status: domain.waitUntil === null ? domain.status : now < domain.waitUntil ? 'waiting' : 'stopped',
    record: domain.waitUntil === null ? domain.record : recordText(records[0]),
    waitsUntil: unixSecondsOrNull(waitUntil),
    records,
    steps: mergeSteps(parseSteps(domain.steps), {}, now),
  }
}
