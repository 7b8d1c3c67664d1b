import { Hono } from 'hono'
import { PAGE_ROWS, REPORT_LIMITS } from '../../../../contract/limits.ts'
import type { NewReport } from '../../../../contract/report.ts'
import type { DeniedKind } from '../../../../contract/states.ts'
import { isObjectId, objectId } from '../../../../protocol/object-id.ts'
import { expireDenylist } from '../../../content/denylist/denylist.ts'
import { now, unixSeconds } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import { cutPage } from '../../../platform/d1/page-key.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { networkOf } from '../../../platform/http/client-address.ts'
import { invalidCursor, invalidField, notFound, tooManyRequests, unavailable } from '../../../platform/http/errors.ts'
import { limitConcurrency } from '../../../platform/http/limit-concurrency.ts'
import { clientOf, setRateLimitHeaders } from '../../../platform/http/limit-requests.ts'
import { COUNTED_LIMITS } from '../../../platform/http/rate-limits.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { requireToken } from '../../auth/require-token.ts'
import { selectAddressesOf } from '../../sites/sql/site-addresses.ts'
import { decideReport } from '../decide-report.ts'
import { findDeniedValue } from '../find-denied-value.ts'
import { isFoundAnywhere } from '../find-reported.ts'
import {
  dismissReports,
  insertReport,
  type Report,
  type ReportStatement,
  selectReportStatements,
  selectReports,
} from '../sql/reports.ts'

const schemas = () => import('../../../../contract/report.ts')

/** /v0/report: what people say should not be served, and what becomes of it. */
export const report = new Hono<AppEnv>()

const HOUR_SECONDS = COUNTED_LIMITS.reports.seconds
const LIMITS = { ...REPORT_LIMITS, ofClient: COUNTED_LIMITS.reports.most }

report.post('/', limitConcurrency(), async (c) => {
  const given = await readRequest(c, BODY_LIMIT.account, schemas, 'NewReport')
  const reported = await readReport(c.env.DB, c.get('config'), given)
  const at = now()
  const { address: client } = clientOf(c)
  const from = client === undefined ? undefined : { client, network: networkOf(client) }
  if (!(await isFoundAnywhere({ env: c.env, ctx: c.executionCtx, network: from?.network, now: at }, reported))) {
    throw notFound('Nothing with this id was found here, on the chains or on IPFS. Check the spelling.')
  }
  const limits = { ...LIMITS, since: at - HOUR_SECONDS * 1000 }
  const outcome = await insertReport(c.env.DB, { ...reported, id: objectId(at), at }, from, limits)
  if (outcome === 'client_limit') {
    const message = `No more than ${LIMITS.ofClient} reports an hour are accepted from one address. Try again later.`
    throw tooManyRequests(HOUR_SECONDS, message, 'reports')
  }
  if (outcome === 'queue_full') {
    const message = 'The queue of undecided reports is full. Send this one again in an hour.'
    throw unavailable('reports_full', message, { retryAfter: HOUR_SECONDS })
  }
  if (client !== undefined) setRateLimitHeaders(c, { name: 'reports', left: LIMITS.ofClient - outcome.ofClient })
  return c.json({ id: outcome.id, message: 'Thank you. The operator will review it.' }, 201)
})

report.get('/', requireToken('moderate'), async (c) => {
  const { status, cursor = '' } = await parseAs(c.req.query(), schemas, 'ReportQuery')
  if (cursor !== '' && !isObjectId(cursor)) throw invalidCursor()
  const found = await selectReports(c.env.DB, { status, after: cursor, limit: PAGE_ROWS + 1 })
  const page = cutPage(found, ({ id }) => id)
  return c.json({ reports: await describeReports(c.env.DB, page.shown, c.get('config')), cursor: page.cursor })
})

report.put('/', requireToken('moderate'), async (c) => {
  const { ids, reason } = await readRequest(c, BODY_LIMIT.account, schemas, 'DismissedReports')
  const dismissed = await dismissReports(c.env.DB, ids, { by: c.get('caller').userId, at: now(), reason })
  return c.json({ dismissed })
})

report.put('/:id', requireToken('moderate'), async (c) => {
  const given = await readRequest(c, BODY_LIMIT.account, schemas, 'ReportDecision')
  const decision = { ...given, by: c.get('caller').userId, at: now() }
  const decided = await decideReport(c.env.DB, c.req.param('id'), decision)
  expireDenylist()
  const [described] = await describeReports(c.env.DB, [decided], c.get('config'))
  return c.json(described)
})

/** A report with the thing in its one spelling. @throws {AppError} 400 naming the field, 404 for an address that is none. */
async function readReport(
  db: D1Database,
  config: Pick<Config, 'storageHost'>,
  { kind, value, blockchain, reason, evidence }: NewReport,
) {
  if (blockchain !== undefined && kind !== 'txid') {
    throw invalidField('blockchain', 'must be given with a txid: the chain that it was seen on.')
  }
  return { ...(await findDeniedValue(db, config, kind, value)), blockchain, reason, evidence: evidence || undefined }
}

/** Reports as a moderator sees them, with what was said and the addresses of the sites that they are of. */
async function describeReports(db: D1Database, reports: readonly Report[], config: Hosts) {
  const [statements, addresses] = await Promise.all([
    selectReportStatements(
      db,
      reports.map(({ id }) => id),
    ),
    selectAddressesOf(
      db,
      reports.flatMap(({ kind, value }) => (kind === 'item' ? [value] : [])),
    ),
  ])
  return reports.map((row) => {
    const ofThis = statements.filter((statement) => statement.report === row.id)
    return reportJson(row, ofThis, addresses.get(row.value) ?? null, config)
  })
}

type Hosts = Pick<Config, 'baseUrl' | 'storageHost'>

/** A report as a moderator sees it; `address` is that of the site, if it has one; `reason`, `evidence` and `oldest` are of the first who reported it. */
function reportJson(report: Report, statements: readonly ReportStatement[], address: string | null, config: Hosts) {
  const { id, kind, value, blockchain, reports, status, decidedBy, decidedAt, decision } = report
  const given = statements.map(({ at, reason, evidence }) => ({ at: unixSeconds(at), reason, evidence }))
  return {
    id,
    kind,
    value,
    blockchain,
    reason: given[0]?.reason ?? '',
    evidence: given[0]?.evidence ?? null,
    reports,
    oldest: Number.parseInt(id.slice(0, 8), 16),
    status,
    url: placeOf(kind, value, blockchain, config),
    address,
    statements: given,
    decision: decidedAt === null ? null : { by: decidedBy, at: unixSeconds(decidedAt), reason: decision },
  }
}

/** Where the thing can be checked, on a host of its own; `null` for a transaction of no known chain. */
function placeOf(
  kind: DeniedKind,
  value: string,
  blockchain: string | null,
  { baseUrl, storageHost }: Hosts,
): string | null {
  if (kind === 'item') return `${baseUrl.protocol}//${value}.${storageHost}/`
  if (kind === 'cid') return `${baseUrl.protocol}//${storageHost}/ipfs/${value}`
  return blockchain && `${baseUrl.protocol}//${storageHost}/web/${blockchain}/${value}`
}
