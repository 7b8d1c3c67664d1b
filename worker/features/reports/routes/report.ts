import { Hono } from 'hono'
import { objectId } from '../../../../protocol/object-id.ts'
import { parseReason } from '../../../content/denylist/denied-value.ts'
import { expireDenylist } from '../../../content/denylist/denylist.ts'
import { now } from '../../../platform/clock.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { invalidField, tooManyRequests, unavailable } from '../../../platform/http/errors.ts'
import { clientAddress, tellLimit } from '../../../platform/http/limit-requests.ts'
import { COUNTED_LIMITS } from '../../../platform/http/rate-limits.ts'
import { BODY_LIMIT, readJson } from '../../../platform/http/read-body.ts'
import { requireToken } from '../../auth/require-token.ts'
import { decideReport } from '../decide-report.ts'
import { parseReport } from '../parse-report.ts'
import { reportJson } from '../report-json.ts'
import { insertReport, REPORT_STATUSES, selectReportStatements, selectReports } from '../sql/reports.ts'

/** /v0/report: what people say should not be served, and what becomes of it. */
export const report = new Hono<AppEnv>()

const PAGE = 50
const HOUR_SECONDS = 3600
const LIMITS = { statements: 10, open: 20_000, ofClient: COUNTED_LIMITS.reports.most }

report.post('/', async (c) => {
  const reported = parseReport(await readJson(c, BODY_LIMIT.account))
  const at = now()
  const client = clientAddress(c.req.raw)
  const limits = { ...LIMITS, since: at - HOUR_SECONDS * 1000 }
  const outcome = await insertReport(c.env.DB, { ...reported, id: objectId(at), at }, client, limits)
  if (outcome === 'client_limit') {
    const message = `No more than ${LIMITS.ofClient} reports an hour are taken from one address.`
    throw tooManyRequests(HOUR_SECONDS, message, 'reports')
  }
  if (outcome === 'queue_full') {
    const message = 'More reports wait to be looked at than are kept. Send this one again in an hour.'
    throw unavailable('reports_full', message, { retryAfter: HOUR_SECONDS })
  }
  if (client !== undefined) tellLimit(c, { name: 'reports', left: LIMITS.ofClient - outcome.ofClient })
  return c.json({ id: outcome.id, message: 'Thank you. Someone will look at it.' }, 201)
})

report.get('/', requireToken('moderate'), async (c) => {
  const { status = 'open', cursor = '' } = c.req.query()
  const known = parseStatus(status)
  if (cursor !== '' && !/^[0-9a-f]{24}$/.test(cursor)) throw invalidField('cursor', 'must be one an earlier page gave.')
  const found = await selectReports(c.env.DB, { status: known, after: cursor, limit: PAGE + 1 })
  const page = found.slice(0, PAGE)
  const statements = await selectReportStatements(
    c.env.DB,
    page.map(({ id }) => id),
  )
  const reports = page.map((row) =>
    reportJson(
      row,
      statements.filter((statement) => statement.report === row.id),
      c.get('config'),
    ),
  )
  return c.json({ reports, ...(found.length > PAGE ? { cursor: page.at(-1)?.id } : {}) })
})

report.put('/:id', requireToken('moderate'), async (c) => {
  const body = await readJson(c, BODY_LIMIT.account)
  const status = parseStatus(body.status)
  const decision = { status, reason: parseReason(body.reason), by: c.get('caller').userId, at: now() }
  const decided = await decideReport(c.env.DB, c.req.param('id'), decision)
  expireDenylist()
  return c.json(reportJson(decided, await selectReportStatements(c.env.DB, [decided.id]), c.get('config')))
})

function parseStatus(text: unknown) {
  const status = REPORT_STATUSES.find((candidate) => candidate === text)
  if (status === undefined) throw invalidField('status', `must be one of ${REPORT_STATUSES.join(', ')}.`)
  return status
}
