import { Hono } from 'hono'
import { isObjectId } from '../../../../protocol/object-id.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidField, notFound } from '../../../platform/http/errors.ts'
import { BODY_LIMIT, readJson } from '../../../platform/http/read-body.ts'
import type { Caller } from '../../auth/find-caller.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'
import { parseCursor } from '../../items/page-cursor.ts'
import { parseName } from '../../items/parse-name.ts'
import { addVersion } from '../add-version.ts'
import { createSite } from '../create-site.ts'
import { forgetShown } from '../find-shown-item.ts'
import { parseConfirm, parseNote, parseVersionCursor, parseVersionNumber } from '../parse-version.ts'
import { refuseFailing } from '../refuse-failing.ts'
import { requireStoredItem } from '../require-stored-item.ts'
import { siteJson, siteVersionJson } from '../site-json.ts'
import { selectSiteVersions } from '../sql/site-versions.ts'
import { deleteSite, type Site, selectSite, selectSites } from '../sql/sites.ts'
import { switchVersion } from '../switch-version.ts'

/** /v0/site: names that show one stored item, and another one after a switch. */
export const site = new Hono<AppEnv>()

const PAGE = 50

site.get('/', requireToken('store'), async (c) => {
  const { cursor } = c.req.query()
  const after = cursor === undefined ? undefined : parseCursor(cursor)
  const found = await selectSites(c.env.DB, c.get('caller').userId, after, PAGE + 1)
  const sites = found.slice(0, PAGE)
  const last = sites.at(-1)
  return c.json({
    sites: sites.map((each) => siteJson(each, c.get('config'))),
    ...(found.length > PAGE && last ? { cursor: `${last.createdAt}-${last.id}` } : {}),
  })
})

site.post('/', requireToken('store'), idempotent(), async (c) => {
  const { name, item, confirm } = await readJson(c, BODY_LIMIT.account)
  const request = { name: parseName(name), itemId: item === undefined ? undefined : parseItem(item) }
  const caller = c.get('caller')
  const config = c.get('config')
  const confirmed = parseConfirm(confirm)
  if (request.itemId !== undefined) {
    await requireStoredItem(c.env.DB, caller.userId, request.itemId)
    if (!confirmed) await refuseFailing(c.env, config, caller.userId, request.itemId)
  }
  const surroundings = { db: c.env.DB, quotas: config.quotas }
  const record = (made: Site) => c.get('record')({ status: 201, body: siteJson(made, config) })
  const made = await createSite(surroundings, { userId: caller.userId, by: nameOf(caller) }, request, now(), record)
  return c.json(siteJson(made, config), 201)
})

site.get('/:id', requireToken('store'), async (c) =>
  c.json(siteJson(await requireSite(c.env.DB, c.get('caller'), c.req.param('id')), c.get('config'))),
)

site.delete('/:id', requireToken('store'), async (c) => {
  const { id, userId } = await requireSite(c.env.DB, c.get('caller'), c.req.param('id'))
  await deleteSite(c.env.DB, userId, id)
  forgetShown(id)
  return c.body(null, 204)
})

site.get('/:id/versions', requireToken('store'), async (c) => {
  const before = parseVersionCursor(c.req.query('cursor'))
  const { id } = await requireSite(c.env.DB, c.get('caller'), c.req.param('id'))
  const found = await selectSiteVersions(c.env.DB, id, before, PAGE + 1)
  const versions = found.slice(0, PAGE)
  return c.json({
    versions: versions.map((version) => siteVersionJson(version, c.get('config'))),
    ...(found.length > PAGE ? { cursor: String(versions.at(-1)?.number) } : {}),
  })
})

site.post('/:id/versions', requireToken('store'), idempotent(), async (c) => {
  const { item, note } = await readJson(c, BODY_LIMIT.account)
  const request = { itemId: parseItem(item), note: parseNote(note) }
  const { version, added } = await addVersion(
    c.env.DB,
    await requireSite(c.env.DB, c.get('caller'), c.req.param('id')),
    request,
    now(),
  )
  return c.json(siteVersionJson(version, c.get('config')), added ? 201 : 200)
})

site.put('/:id/current', requireToken('store'), async (c) => {
  const { version, confirm } = await readJson(c, BODY_LIMIT.account)
  const config = c.get('config')
  const caller = c.get('caller')
  const request = { number: parseVersionNumber(version), by: nameOf(caller), confirmed: parseConfirm(confirm) }
  const switching = await requireSite(c.env.DB, caller, c.req.param('id'))
  return c.json(siteJson(await switchVersion({ env: c.env, config }, switching, request, now()), config))
})

async function requireSite(db: D1Database, { userId }: Caller, id: string): Promise<Site> {
  const found = await selectSite(db, userId, id)
  if (!found) throw notFound('You have no site with this id.')
  return found
}

function parseItem(value: unknown): string {
  if (isObjectId(value)) return value
  throw invalidField('item', 'must be the object id of an item, 24 lowercase hex digits.')
}

/** Who asks, as the history of a site tells it. */
function nameOf({ firstName, lastName, key }: Caller): string {
  return key ? `key ${key.name}` : `${firstName} ${lastName}`
}
