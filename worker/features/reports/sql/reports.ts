import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import type { DeniedKind, ReportStatus } from '../../../../contract/states.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import type { DeniedValue } from '../../../content/denylist/denied.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { insertSelectedAuditStatement } from '../../../platform/records/audit-log.ts'

/** What a client says of something that should not be served; `at` in milliseconds. */
export interface NewReport extends DeniedValue {
  /** Of the report, where it is the first of this thing. */
  id: string
  blockchain: Blockchain | undefined
  reason: string
  evidence: string | undefined
  at: number
}

export interface ReportLimits {
  /** Statements that are stored of one thing; further ones are counted. */
  statements: number
  /** Reports that may wait for a decision, and those of them that one network was the first to report. */
  open: number
  openOfNetwork: number
  /** Networks that are counted of one thing. */
  networks: number
  /** Reports of one client since `since` (milliseconds). */
  ofClient: number
  since: number
}

/** Something that was reported, as its row has it. */
export interface Report {
  id: string
  kind: DeniedKind
  digest: string
  value: string
  blockchain: Blockchain | null
  status: ReportStatus
  reports: number
  decidedBy: string | null
  decidedAt: number | null
  decision: string | null
}

export interface ReportStatement {
  report: string
  at: number
  reason: string
  evidence: string | null
}

const COLUMNS = `id, kind, digest, value, blockchain, status, reports, decided_by AS decidedBy, decided_at AS decidedAt,
  decision`

/** Rows of clients whose time is over that one report removes: more than the one it adds. */
const SWEPT_CLIENTS = 10

/**
 * Adds a report, to the one that there is of the same thing if there is one, in one batch: parallel reports are counted
 * one by one, and a network once. A `from` of `undefined` is not counted against. Answers the id of the report, and how
 * many the client has sent.
 */
export async function insertReport(
  db: D1Database,
  report: NewReport,
  from: { client: string; network: string } | undefined,
  limits: ReportLimits,
): Promise<{ id: string; ofClient: number } | 'client_limit' | 'queue_full'> {
  const { kind, digest, at } = report
  const { client = '', network = '' } = from ?? {}
  const counted = db
    .prepare(
      `INSERT INTO report_clients (client, at) SELECT ?1, ?2
       WHERE ?1 = '' OR (SELECT COUNT(*) FROM report_clients WHERE client = ?1 AND at > ?3) < ?4`,
    )
    .bind(client, at, limits.since, limits.ofClient)
  const added = db
    .prepare(
      `INSERT INTO reports (id, kind, digest, value, blockchain, network) SELECT ?1, ?2, ?3, ?4, ?5, NULLIF(?6, '')
       WHERE changes() > 0 AND (
         (SELECT count FROM open_reports) < ?7
           AND (SELECT COUNT(*) FROM reports WHERE status = 'open' AND network = NULLIF(?6, '')) < ?8
         OR EXISTS (SELECT 1 FROM reports WHERE kind = ?2 AND digest = ?3))
       ON CONFLICT (kind, digest) DO UPDATE SET blockchain = IFNULL(blockchain, excluded.blockchain), reports = reports + (
         ?6 = '' OR NOT EXISTS (SELECT 1 FROM report_networks WHERE report = reports.id AND report_networks.network = ?6)
           AND (SELECT COUNT(*) FROM report_networks WHERE report = reports.id) < ?9)`,
    )
    .bind(
      ...[report.id, kind, digest, report.value, report.blockchain ?? null, network],
      ...[limits.open, limits.openOfNetwork, limits.networks],
    )
  // The one that is there already is written again, so that what follows sees a change.
  const noted = db
    .prepare(
      `INSERT INTO report_networks (report, network) SELECT id, ?3 FROM reports
       WHERE changes() > 0 AND kind = ?1 AND digest = ?2
         AND (SELECT COUNT(*) FROM report_networks WHERE report = reports.id) <= ?4
       ON CONFLICT (report, network) DO UPDATE SET network = excluded.network`,
    )
    .bind(kind, digest, network, limits.networks)
  const stated = db
    .prepare(
      `INSERT OR IGNORE INTO report_statements (report, number, at, reason, evidence) SELECT id, reports, ?3, ?4, ?5 FROM reports
       WHERE changes() > 0 AND kind = ?1 AND digest = ?2 AND reports <= ?6`,
    )
    .bind(kind, digest, at, report.reason, report.evidence ?? null, limits.statements)
  const swept = db
    .prepare('DELETE FROM report_clients WHERE rowid IN (SELECT rowid FROM report_clients WHERE at <= ? LIMIT ?)')
    .bind(limits.since, SWEPT_CLIENTS)
  const found = db
    .prepare(
      `SELECT id, (SELECT COUNT(*) FROM report_clients WHERE client = NULLIF(?3, '') AND at > ?4) AS ofClient
       FROM reports WHERE kind = ?1 AND digest = ?2`,
    )
    .bind(kind, digest, client, limits.since)
  const [clients, rows, , , , ids] = await db.batch<{ id: string; ofClient: number }>([
    ...[counted, added, noted, stated, swept, found],
  ])
  if (clients?.meta.changes === 0) return 'client_limit'
  const [row] = ids?.results ?? []
  return rows?.meta.changes === 0 || row === undefined ? 'queue_full' : row
}

/** Reports of one status, the oldest first, behind `after` (an id). */
export async function selectReports(
  db: D1Database,
  { status, after, limit }: { status: ReportStatus; after: string; limit: number },
): Promise<Report[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM reports WHERE status = ? AND id > ? ORDER BY id LIMIT ?`)
    .bind(status, after, limit)
    .all<Report>()
  return results
}

/** One report, or nothing. */
export async function selectReport(db: D1Database, id: string): Promise<Report | null> {
  return await db.prepare(`SELECT ${COLUMNS} FROM reports WHERE id = ?`).bind(id).first<Report>()
}

/** The stored statements of some reports, at most 100, the oldest first. */
export async function selectReportStatements(db: D1Database, reports: readonly string[]): Promise<ReportStatement[]> {
  const { results } = await db
    .prepare(
      `SELECT report, at, reason, evidence FROM report_statements
       WHERE report IN (${reports.map(() => '?').join()}) ORDER BY report, number`,
    )
    .bind(...reports)
    .all<ReportStatement>()
  return results
}

/** The statement that fails its batch when the report has another status by now. */
export function assertReportStatusStatement(db: D1Database, id: string, status: ReportStatus): D1PreparedStatement {
  return assertionStatement(db, 'EXISTS (SELECT 1 FROM reports WHERE id = ? AND status = ?)', id, status)
}

/** Writes a decision; why it was made. */
export function decideReportStatement(
  db: D1Database,
  id: string,
  decision: { status: ReportStatus; by: string; at: number; reason: string },
): D1PreparedStatement {
  return db
    .prepare('UPDATE reports SET status = ?, decided_by = ?, decided_at = ?, decision = ? WHERE id = ?')
    .bind(decision.status, decision.by, decision.at, decision.reason, id)
}

/** Dismisses those of these reports that are open, and says so in the audit log; answers how many they were. */
export async function dismissReports(
  db: D1Database,
  ids: readonly string[],
  { by, at, reason }: { by: string; at: number; reason: string },
): Promise<number> {
  const open = "id IN (SELECT value FROM json_each(?)) AND status = 'open'"
  const list = JSON.stringify(ids)
  // Of the second statement what triggers change would be counted too.
  const [noted] = await db.batch([
    insertSelectedAuditStatement(
      db,
      { at, act: 'report.decided', reason: `dismissed: ${reason}` },
      `SELECT ? AS actor, NULL AS account, 'report:' || id AS subject FROM reports WHERE ${open}`,
      ...[by, list],
    ),
    db
      .prepare(`UPDATE reports SET status = 'dismissed', decided_by = ?, decided_at = ?, decision = ? WHERE ${open}`)
      .bind(by, at, reason, list),
  ])
  return noted?.meta.changes ?? 0
}

/** How long a decided report is stored, in milliseconds, and how many are deleted in one run. */
const DECIDED_KEPT = LIFETIMES.decidedReport * 1000
const SWEPT = 500

/** Deletes reports that were decided long ago, with what was said of them; what is denied stays so. `now` in milliseconds. */
export async function sweepReports(db: D1Database, now: number): Promise<void> {
  await db
    .prepare(
      `DELETE FROM reports WHERE id IN (
         SELECT id FROM reports WHERE decided_at < ? AND status != 'open' ORDER BY decided_at LIMIT ?)`,
    )
    .bind(now - DECIDED_KEPT, SWEPT)
    .run()
}

/** When the oldest report was sent that waits for a decision, in milliseconds. */
export async function selectOldestOpenReport(db: D1Database): Promise<number | undefined> {
  const at = await db
    .prepare(
      `SELECT at FROM report_statements WHERE number = 1 AND report =
         (SELECT id FROM reports WHERE status = 'open' ORDER BY id LIMIT 1)`,
    )
    .first<number>('at')
  return at ?? undefined
}
