import { type AuditAct, retainedUntil } from '../../../contract/audit-acts.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { type Row, readBoolean, rowReader } from '../d1/row-reader.ts'

/** An act; `at` in milliseconds, `amount` in base units. */
export interface AuditEntry {
  at: number
  /** A user's id; `command` for a command of the operator, `service` for the service itself. */
  actor: string
  /** The user whose account or money it concerns, who may read it; `undefined` where there is none. */
  account?: string | undefined
  act: AuditAct
  /** Its object, as `kind:id`. */
  subject?: string | undefined
  reason?: string | undefined
  blockchain?: Blockchain | undefined
  amount?: bigint | undefined
  /** It was credited without a check that the wallet holds as much. */
  unbacked?: boolean | undefined
}

/** An entry as stored; `seq` is its order. */
export type AuditRow = Omit<AuditEntry, 'act'> & { seq: number; act: string }

/**
 * The statement that adds an entry to the audit log, in the same batch after the act. With `ifChanged` it adds one only
 * where the statement before it in the batch changed a row.
 */
export function insertAuditStatement(
  db: D1Database,
  entry: AuditEntry,
  { ifChanged = false }: { ifChanged?: boolean } = {},
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO audit (at, actor, account, act, subject, reason, blockchain, amount, unbacked, kept_until)
       SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?${ifChanged ? ' WHERE changes() > 0' : ''}`,
    )
    .bind(
      entry.at,
      entry.actor,
      entry.account ?? null,
      entry.act,
      entry.subject ?? null,
      entry.reason ?? null,
      entry.blockchain ?? null,
      entry.amount?.toString() ?? null,
      entry.unbacked ? 1 : null,
      retainedUntil(entry.act, entry.at) ?? null,
    )
}

/**
 * The statement that adds an entry for each row of `rows`: SQL that selects `actor`, `account` and `subject`, with `values`. In
 * the batch it goes before the act, which changes the same rows.
 */
export function insertSelectedAuditStatement(
  db: D1Database,
  { at, act, reason }: Pick<AuditEntry, 'at' | 'act' | 'reason'>,
  rows: string,
  ...values: (string | number)[]
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO audit (at, act, reason, kept_until, actor, account, subject)
       SELECT ?, ?, ?, ?, actor, account, subject FROM (${rows})`,
    )
    .bind(at, act, reason ?? null, retainedUntil(act, at) ?? null, ...values)
}

const toEntry = rowReader<AuditRow>({ amount: BigInt, unbacked: readBoolean })

/** Entries before `before` (a `seq`), latest first; only of `account`, if there is one. */
export async function selectAudit(
  db: D1Database,
  { account, before, limit }: { account: string | undefined; before: number; limit: number },
): Promise<AuditRow[]> {
  const of = account === undefined ? '' : 'account = ?3 AND '
  const { results } = await db
    .prepare(
      `SELECT seq, at, actor, account, act, subject, reason, blockchain, amount, unbacked FROM audit
       WHERE ${of}seq < ?1 ORDER BY seq DESC LIMIT ?2`,
    )
    .bind(before, limit, ...(account === undefined ? [] : [account]))
    .all<Row<AuditRow>>()
  return results.map(toEntry)
}

/** The most rows that one run deletes. */
const SWEPT = 1_000

/** Deletes entries whose retention has ended; a trigger protects all others. `now` in milliseconds. */
export async function sweepAudit(db: D1Database, now: number): Promise<void> {
  await db
    .prepare(
      `DELETE FROM audit WHERE seq IN (
         SELECT seq FROM audit WHERE kept_until <= MIN(?, unixepoch() * 1000) ORDER BY kept_until LIMIT ?)`,
    )
    .bind(now, SWEPT)
    .run()
}
