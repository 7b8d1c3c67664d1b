import { Hono } from 'hono'
import { PAGE_ROWS } from '../../../../contract/limits.ts'
import { now, unixSeconds, unixSecondsOrNull } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import { cutPage, pageCursor, parsePageKey } from '../../../platform/d1/page-key.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidCursor, notFound } from '../../../platform/http/errors.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import type { Caller } from '../../auth/find-caller.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'
import { statusText } from '../../items/sql/item-state.ts'
import { addVersion } from '../add-version.ts'
import { evictAddress } from '../addresses/resolve-address.ts'
import { setAddress } from '../addresses/set-address.ts'
import { createSite } from '../create-site.ts'
import { evictSite } from '../find-shown-item.ts'
import { refuseFailing } from '../refuse-failing.ts'
import { requireOwnItem, requireStoredItem } from '../require-stored-item.ts'
import { endAddressStatement } from '../sql/site-addresses.ts'
import { type SiteVersion, selectSiteVersions } from '../sql/site-versions.ts'
import { deleteSite, type Site, selectSite, selectSites, updateSiteName } from '../sql/sites.ts'
import { switchVersion } from '../switch-version.ts'

const schemas = () => import('../../../../contract/site.ts')

/** /v0/site: names that show one stored item, and another one after a switch. */
export const site = new Hono<AppEnv>()

site.get('/', requireToken('store'), async (c) => {
  const { name, cursor } = await parseAs(c.req.query(), schemas, 'SiteQuery')
  const query = { name, after: parsePageKey(cursor), limit: PAGE_ROWS + 1 }
  const page = cutPage(await selectSites(c.env.DB, c.get('caller').userId, query), pageCursor)
  return c.json({ sites: page.shown.map((each) => siteJson(each, c.get('config'))), cursor: page.cursor })
})

site.post('/', requireToken('store'), idempotent(), async (c) => {
  const { name, item, current, confirm = false } = await readRequest(c, BODY_LIMIT.account, schemas, 'NewSite')
  const caller = c.get('caller')
  const config = c.get('config')
  // What is stored already needs no wait.
  const whenStored =
    item !== undefined &&
    current !== undefined &&
    (await requireOwnItem(c.env.DB, caller.userId, item)).state !== 'stored'
  const request = { name, itemId: item, whenStored }
  if (item !== undefined && !whenStored) {
    await requireStoredItem(c.env.DB, caller.userId, item)
    if (!confirm) await refuseFailing(c.env, caller.userId, item)
  }
  const deps = { db: c.env.DB, quotas: config.quotas }
  const record = (made: Site) => c.get('record')({ status: 201, body: siteJson(made, config) })
  const made = await createSite(deps, { userId: caller.userId, by: nameOf(caller) }, request, now(), record)
  return c.json(siteJson(made, config), 201)
})

site.post('/problems', requireToken('store'), async (c) => {
  const files = await readRequest(c, BODY_LIMIT.retrieval, schemas, 'SiteFiles')
  const { findProblemsOf } = await import('../find-problems.ts')
  return c.json(await findProblemsOf(files))
})

site.get('/:id', requireToken('store'), async (c) =>
  c.json(siteJson(await requireSite(c.env.DB, c.get('caller'), c.req.param('id')), c.get('config'))),
)

site.patch('/:id', requireToken('store'), async (c) => {
  const { name } = await readRequest(c, BODY_LIMIT.account, schemas, 'SiteChange')
  const found = await requireSite(c.env.DB, c.get('caller'), c.req.param('id'))
  await updateSiteName(c.env.DB, found.userId, found.id, name)
  return c.json(siteJson({ ...found, name }, c.get('config')))
})

site.delete('/:id', requireToken('store'), async (c) => {
  const { id, userId, address } = await requireSite(c.env.DB, c.get('caller'), c.req.param('id'))
  await deleteSite(c.env.DB, userId, id, now())
  evictSite(id)
  if (address !== null) evictAddress(address)
  return c.body(null, 204)
})

site.get('/:id/versions', requireToken('store'), async (c) => {
  const before = parseVersionCursor(c.req.query('cursor'))
  const { id } = await requireSite(c.env.DB, c.get('caller'), c.req.param('id'))
  const found = await selectSiteVersions(c.env.DB, id, before, PAGE_ROWS + 1)
  const { shown, cursor } = cutPage(found, ({ number }) => String(number))
  return c.json({ versions: shown.map((version) => siteVersionJson(version, c.get('config'))), cursor })
})

site.post('/:id/versions', requireToken('store'), idempotent(), async (c) => {
  const { item, note, current } = await readRequest(c, BODY_LIMIT.account, schemas, 'NewSiteVersion')
  const caller = c.get('caller')
  const request = { itemId: item, note: note || null, whenStored: current === undefined ? null : nameOf(caller) }
  const site = await requireSite(c.env.DB, caller, c.req.param('id'))
  const { version, added } = await addVersion(c.env, site, request, now())
  return c.json(siteVersionJson(version, c.get('config')), added ? 201 : 200)
})

site.put('/:id/current', requireToken('store'), async (c) => {
  const { version, confirm = false } = await readRequest(c, BODY_LIMIT.account, schemas, 'CurrentVersion')
  const config = c.get('config')
  const caller = c.get('caller')
  const request = { number: version, by: nameOf(caller), confirmed: confirm }
  const switching = await requireSite(c.env.DB, caller, c.req.param('id'))
  return c.json(siteJson(await switchVersion(c.env, switching, request, now()), config))
})

site.put('/:id/address', requireToken('store'), async (c) => {
  const { address } = await readRequest(c, BODY_LIMIT.account, schemas, 'NewAddress')
  const config = c.get('config')
  const found = await requireSite(c.env.DB, c.get('caller'), c.req.param('id'))
  return c.json(siteJson(await setAddress({ db: c.env.DB, config }, found, address, now()), config))
})

site.delete('/:id/address', requireToken('store'), async (c) => {
  const { id, userId, address } = await requireSite(c.env.DB, c.get('caller'), c.req.param('id'))
  await endAddressStatement(c.env.DB, id, userId, now()).run()
  if (address !== null) evictAddress(address)
  return c.body(null, 204)
})

/** The number below which a page of versions begins. @throws {AppError} 400. */
function parseVersionCursor(text: string | undefined): number {
  if (text === undefined) return Number.MAX_SAFE_INTEGER
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw invalidCursor()
}

async function requireSite(db: D1Database, { userId }: Caller, id: string): Promise<Site> {
  const found = await selectSite(db, userId, id)
  if (!found) throw notFound('You have no site with this id.')
  return found
}

/** The name of the caller in the history of a site. */
function nameOf({ firstName, lastName, key }: Caller): string {
  return key ? `key ${key.name}` : `${firstName} ${lastName}`
}

type Hosts = Pick<Config, 'baseUrl' | 'storageHost'>

/** A site as the API answers it; `createdAt` in Unix seconds. */
function siteJson({ id, name, versions, current, itemId, waiting, address, createdAt }: Site, config: Hosts) {
  return {
    id,
    name,
    host: `${id}.${config.storageHost}`,
    url: hostUrl(id, config),
    address,
    addressUrl: address === null ? null : hostUrl(address, config),
    version: current,
    item: itemId,
    versions,
    waiting,
    createdAt: unixSeconds(createdAt),
  }
}

/** A version as the API answers it; `url` is where it is seen whether it is current or not. */
function siteVersionJson(version: SiteVersion, config: Hosts) {
  const { number, itemId, name, note, blockchain, size, state, current, createdAt, periods } = version
  return {
    number,
    item: itemId,
    name,
    note,
    blockchain,
    size,
    status: statusText(state),
    current,
    url: hostUrl(itemId, config),
    createdAt: unixSeconds(createdAt),
    periods: periods.map(({ from, until, by }) => ({
      from: unixSeconds(from),
      until: unixSecondsOrNull(until),
      by,
    })),
  }
}

function hostUrl(id: string, { baseUrl, storageHost }: Hosts): string {
  return `${baseUrl.protocol}//${id}.${storageHost}/`
}
