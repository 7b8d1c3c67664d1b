import { notFound } from '../http/errors.ts'
import { insertAuditStatement } from '../storage/audit/audit-log.ts'
import { decideReportStatement, type Report, type ReportStatus, selectReport } from '../storage/reports/reports.ts'
import { insertDeniedStatements, liftDeniedStatements } from '../storage/sites/denied.ts'

/**
 * Decides a report, or opens it again, in one batch with what follows: what is denied goes onto the denylist, what was
 * denied and is no longer comes off it, and the audit log says both. `at` in milliseconds.
 * @throws {AppError} 404.
 */
export async function decideReport(
  db: D1Database,
  id: string,
  decision: { status: ReportStatus; by: string; at: number; reason: string },
): Promise<Report> {
  const { status, by, at, reason } = decision
  const report = await selectReport(db, id)
  if (!report) throw notFound('There is no report with this id.')
  const { kind, digest, value } = report
  const denied = { kind, digest, value }
  await db.batch([
    decideReportStatement(db, id, decision),
    insertAuditStatement(db, {
      at,
      actor: by,
      act: 'report.decided',
      subject: `report:${id}`,
      reason: `${status}: ${reason}`,
    }),
    ...(status === 'denied' ? insertDeniedStatements(db, { ...denied, reason, deniedBy: by }, at) : []),
    ...(status !== 'denied' && report.status === 'denied'
      ? liftDeniedStatements(db, denied, { by, reason, now: at })
      : []),
  ])
  return { ...report, status, decidedBy: by, decidedAt: at, decision: reason }
}
