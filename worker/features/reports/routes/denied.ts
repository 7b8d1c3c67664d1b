import { Hono } from 'hono'
import { selectDenied, selectDependentCids } from '../../../content/denylist/denied.ts'
import { expireDenylist } from '../../../content/denylist/denylist.ts'
import { selectDenylistImport } from '../../../content/denylist/denylist-import.ts'
import { exportDenylist } from '../../../content/denylist/export-denylist.ts'
import { now, unixSeconds } from '../../../platform/clock.ts'
import { parseNumberCursor } from '../../../platform/d1/page-key.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { readRequest } from '../../../platform/http/read-request.ts'
import { requireToken } from '../../auth/require-token.ts'
import { selectSiteCids } from '../../items/sql/website-cids.ts'
import { findDeniedValue } from '../find-denied-value.ts'
import { insertDenied, liftDenied } from '../sql/deny.ts'

const schemas = () => import('../../../../contract/report.ts')

/** /v0/denied: what this service does not serve. */
export const denied = new Hono<AppEnv>()

const PAGE = 100

denied.get('/', requireToken('moderate'), async (c) => {
  const rows = await selectDenied(c.env.DB, parseNumberCursor(c.req.query('cursor')), PAGE)
  const entries = rows.map(({ seq: _, updatedAt, ...entry }) => ({ ...entry, updatedAt: unixSeconds(updatedAt) }))
  const next = rows.length === PAGE ? rows.at(-1)?.seq : undefined
  return c.json({ denied: entries, ...(next === undefined ? {} : { cursor: String(next) }) })
})

denied.get('/export', (c) => {
  const body = exportDenylist(c.env.DB, c.get('config').baseUrl.host)
  return c.body(body, 200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=300' })
})

denied.get('/import', requireToken('moderate'), async (c) => {
  const { url, entries, skipped, leftOut, checkedAt, changedAt, problem } = await selectDenylistImport(c.env.DB)
  const seconds = (time: number | null) => (time ? unixSeconds(time) : null)
  const times = { checkedAt: seconds(checkedAt), changedAt: seconds(changedAt) }
  return c.json({ url: url ?? c.get('config').denylistUrl ?? null, entries, skipped, leftOut, ...times, problem })
})

denied.put('/', requireToken('moderate'), async (c) => {
  const { kind, value, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'Denied')
  const entry = await findDeniedValue(c.env.DB, c.get('config'), kind, value)
  const cids = await selectSiteCids(c.env.DB, entry)
  await insertDenied(c.env.DB, { ...entry, reason, deniedBy: c.get('caller').userId, cids }, now())
  expireDenylist()
  return c.body(null, 204)
})

denied.delete('/', requireToken('moderate'), async (c) => {
  const { kind, value, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'Lifted')
  const entry = await findDeniedValue(c.env.DB, c.get('config'), kind, value)
  const behind = await selectDependentCids(c.env.DB, entry)
  await liftDenied(c.env.DB, entry, { by: c.get('caller').userId, reason, now: now(), behind })
  expireDenylist()
  return c.body(null, 204)
})
