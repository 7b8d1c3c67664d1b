import { Hono } from 'hono'
import { requireToken } from '../auth/require-token.ts'
import { now } from '../clock.ts'
import { parseDeniedValue, parseReason } from '../denylist/denied-value.ts'
import { expireDenylist } from '../denylist/denylist.ts'
import type { AppEnv } from '../http/app-env.ts'
import { invalidField } from '../http/errors.ts'
import { BODY_LIMIT, readJson } from '../http/read-body.ts'
import { insertDenied, liftDenied, selectDenied } from '../storage/sites/denied.ts'

/** /v0/denied: what this service does not serve. */
export const denied = new Hono<AppEnv>()

const PAGE = 100

denied.get('/', requireToken('moderate'), async (c) => {
  const text = c.req.query('cursor')
  if (text !== undefined && !/^\d{1,15}$/.test(text)) throw invalidField('cursor', 'must be one an earlier page gave.')
  const cursor = text === undefined ? Number.MAX_SAFE_INTEGER : Number(text)
  const rows = await selectDenied(c.env.DB, cursor, PAGE)
  const entries = rows.map(({ seq: _, updatedAt, ...entry }) => ({ ...entry, updatedAt: Math.floor(updatedAt / 1000) }))
  const next = rows.length === PAGE ? rows.at(-1)?.seq : undefined
  return c.json({ denied: entries, ...(next === undefined ? {} : { cursor: String(next) }) })
})

denied.put('/', requireToken('moderate'), async (c) => {
  const body = await readJson(c, BODY_LIMIT.account)
  const entry = parseDeniedValue(body.kind, body.value)
  const reason = parseReason(body.reason)
  await insertDenied(c.env.DB, { ...entry, reason, deniedBy: c.get('caller').userId }, now())
  expireDenylist()
  return c.body(null, 204)
})

denied.delete('/', requireToken('moderate'), async (c) => {
  const body = await readJson(c, BODY_LIMIT.account)
  const entry = parseDeniedValue(body.kind, body.value)
  const reason = body.reason === undefined ? undefined : parseReason(body.reason)
  await liftDenied(c.env.DB, entry, { by: c.get('caller').userId, reason, now: now() })
  expireDenylist()
  return c.body(null, 204)
})
