import type { ReportStatus } from '../../../contract/states.ts'
import { insertDeniedStatements, liftDeniedStatements, selectDependentCids } from '../../content/denylist/denied.ts'
import { batchIf, ROUNDS } from '../../platform/d1/guarded-batch.ts'
import { notFound, unavailable } from '../../platform/http/errors.ts'
import { insertAuditStatement } from '../../platform/records/audit-log.ts'
import { selectSiteCids } from '../items/sql/website-cids.ts'
import { assertReportStatusStatement, decideReportStatement, type Report, selectReport } from './sql/reports.ts'

/** What a moderator decided of a report; `at` in milliseconds. */
interface Decision {
  status: ReportStatus
  by: string
  at: number
  reason: string
}

/**
 * Decides a report, or opens it again, in one batch with what follows: what is denied is put on the denylist, what was
 * denied and no longer is, is removed from it, and the audit log records both.
 * @throws {AppError} 404, 503.
 */
export async function decideReport(db: D1Database, id: string, decision: Decision): Promise<Report> {
  for (let round = 0; round < ROUNDS; round++) {
    const report = await selectReport(db, id)
    if (!report) throw notFound('There is no report with this id.')
    if (await writeDecision(db, report, decision)) {
      const { status, by, at, reason } = decision
      return { ...report, status, decidedBy: by, decidedAt: at, decision: reason }
    }
  }
  throw unavailable('busy', 'Somebody else is deciding this report. Read it again in a second.', { retryAfter: 1 })
}

/** `false` when somebody else had decided the report since it was read. */
async function writeDecision(db: D1Database, report: Report, decision: Decision): Promise<boolean> {
  const { status, by, at, reason } = decision
  const { id, kind, digest, value } = report
  const denied = { kind, digest, value }
  const [cids, behind] = await Promise.all([selectSiteCids(db, denied), selectDependentCids(db, denied)])
  return await batchIf(db, [
    assertReportStatusStatement(db, id, report.status),
    decideReportStatement(db, id, decision),
    insertAuditStatement(db, {
      at,
      actor: by,
      act: 'report.decided',
      subject: `report:${id}`,
      reason: `${status}: ${reason}`,
    }),
    ...(status === 'denied' ? insertDeniedStatements(db, { ...denied, reason, deniedBy: by, cids }, at) : []),
    ...(status !== 'denied' && report.status === 'denied'
      ? liftDeniedStatements(db, denied, { by, reason, now: at, behind })
      : []),
  ])
}
