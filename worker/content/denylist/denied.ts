import { DENIED_KINDS, type DeniedKind } from '../../../contract/states.ts'
import { insertAuditStatement } from '../../platform/records/audit-log.ts'

export interface DeniedValue {
  kind: DeniedKind
  /** Lowercase hex txid, CIDv1 in base32, or object id. */
  value: string
  /** 64 lowercase hex digits: what the list is searched by. */
  digest: string
}

/** One entry as the snapshot in memory follows it. */
export interface DeniedChange {
  kind: DeniedKind
  digest: string
  lifted: boolean
  seq: number
}

export interface DeniedEntry {
  kind: DeniedKind
  value: string
  reason: string
  /** User id. */
  deniedBy: string
  /** Milliseconds since 1970. */
  updatedAt: number
  seq: number
}

// One writer at a time is what D1 promises, so the greatest `seq` plus one is new, and never seen out of order.
const NEXT_SEQ = '(SELECT IFNULL(MAX(seq), 0) + 1 FROM denied)'

/** A value that is to be denied; `cids` are other names of the same content. */
export type NewDenied = DeniedValue & { reason: string; deniedBy: string; cids?: readonly DeniedValue[] }

/**
 * What puts a value on the list, and says so in the audit log; `cids` are other names of the same content, which are on it as
 * long as the value is.
 */
export function insertDeniedStatements(db: D1Database, entry: NewDenied, now: number): D1PreparedStatement[] {
  const { kind, value, reason, deniedBy, cids = [] } = entry
  return [
    ...cids.map((cid) => insertBehindStatement(db, cid, entry, now)),
    db
      .prepare(
        `INSERT INTO denied (kind, digest, value, reason, denied_by, lifted, seq, updated_at)
         VALUES (?, ?, ?, ?, ?, 0, ${NEXT_SEQ}, ?)
         ON CONFLICT (kind, digest) DO UPDATE SET
           value = excluded.value, reason = excluded.reason, denied_by = excluded.denied_by,
           lifted = 0, seq = excluded.seq, updated_at = excluded.updated_at, behind = NULL`,
      )
      .bind(kind, entry.digest, value, reason, deniedBy, now),
    insertAuditStatement(db, { at: now, actor: deniedBy, act: 'denial.added', subject: `${kind}:${value}`, reason }),
  ]
}

/** A value that was denied directly remains denied; one behind several values remains denied until all of them are lifted. */
function insertBehindStatement(
  db: D1Database,
  { kind, digest, value }: DeniedValue,
  entry: DeniedValue & { reason: string; deniedBy: string },
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO denied (kind, digest, value, reason, denied_by, lifted, seq, updated_at, behind)
       VALUES (?1, ?2, ?3, ?4, ?5, 0, ${NEXT_SEQ}, ?6, ?7)
       ON CONFLICT (kind, digest) DO UPDATE SET
         reason = excluded.reason, denied_by = excluded.denied_by, lifted = 0, seq = excluded.seq, updated_at = excluded.updated_at,
         behind = IIF(lifted = 0, replace(behind, ?7, ''), '') || ?7
       WHERE lifted = 1 OR behind IS NOT NULL`,
    )
    .bind(kind, digest, value, entry.reason, entry.deniedBy, now, nameOf(entry))
}

/** The CIDs that are on the list as long as this value is. */
export async function selectDependentCids(
  db: D1Database,
  entry: Pick<DeniedValue, 'kind' | 'value'>,
): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT digest FROM denied WHERE kind = 'cid' AND lifted = 0 AND instr(behind, ?) > 0")
    .bind(nameOf(entry))
    .all<{ digest: string }>()
  return results.map(({ digest }) => digest)
}

/** The name of a value in `behind`. */
function nameOf({ kind, value }: Pick<DeniedValue, 'kind' | 'value'>): string {
  return `${kind}:${value} `
}

/** How a value is removed; `now` in milliseconds, `behind` as {@link selectDependentCids} has it. */
export interface Lifting {
  by: string
  reason: string | undefined
  now: number
  behind?: readonly string[]
}

/**
 * The statements that remove a value from the list and record that in the audit log if it was on it. Values of `behind` are
 * removed too, unless they are denied because of another value.
 */
export function liftDeniedStatements(
  db: D1Database,
  { kind, value, digest }: DeniedValue,
  { by, reason, now, behind = [] }: Lifting,
): D1PreparedStatement[] {
  const rest = "replace(behind, ?1, '')"
  return [
    db
      .prepare(
        `UPDATE denied SET lifted = 1, denied_by = ?, updated_at = ?, seq = ${NEXT_SEQ}
         WHERE kind = ? AND digest = ? AND lifted = 0`,
      )
      .bind(by, now, kind, digest),
    insertAuditStatement(
      db,
      { at: now, actor: by, act: 'denial.lifted', subject: `${kind}:${value}`, reason },
      { ifChanged: true },
    ),
    ...behind.map((cid) =>
      db
        .prepare(
          `UPDATE denied SET behind = ${rest}, lifted = ${rest} = '', denied_by = ?2, updated_at = ?3, seq = ${NEXT_SEQ}
           WHERE kind = 'cid' AND digest = ?4 AND lifted = 0 AND behind IS NOT NULL`,
        )
        .bind(nameOf({ kind, value }), by, now, cid),
    ),
  ]
}

/**
 * Changes after `seq`, oldest first, at most `limit`; the last `seq` there is; and the object in the bucket that holds the
 * list of others which is in force, if there is one.
 */
export async function selectDeniedChanges(
  db: D1Database,
  seq: number,
  limit: number,
): Promise<{ changes: DeniedChange[]; last: number; imported: string | undefined }> {
  const [rows, last, imported] = await db.batch<Record<string, unknown>>([
    db.prepare('SELECT kind, digest, lifted, seq FROM denied WHERE seq > ? ORDER BY seq LIMIT ?').bind(seq, limit),
    db.prepare('SELECT IFNULL(MAX(seq), 0) AS last FROM denied'),
    db.prepare('SELECT object FROM denylist_import'),
  ])
  const object = imported?.results[0]?.object
  return {
    changes: (rows?.results ?? []).flatMap(toChange),
    last: Number(last?.results[0]?.last),
    imported: typeof object === 'string' ? object : undefined,
  }
}

function toChange({ kind, digest, lifted, seq }: Record<string, unknown>): DeniedChange[] {
  const known = DENIED_KINDS.find((candidate) => candidate === kind)
  return known ? [{ kind: known, digest: String(digest), lifted: lifted === 1, seq: Number(seq) }] : []
}

/** What is on the list, latest first, before `cursor` (a `seq`). */
export async function selectDenied(db: D1Database, cursor: number, limit: number): Promise<DeniedEntry[]> {
  const { results } = await db
    .prepare(
      `SELECT kind, value, reason, denied_by AS deniedBy, updated_at AS updatedAt, seq FROM denied
       WHERE lifted = 0 AND seq < ? ORDER BY seq DESC LIMIT ?`,
    )
    .bind(cursor, limit)
    .all<DeniedEntry>()
  return results
}

/** What is on the list, oldest first, after `after` (a `seq`), without who denied it and why. */
export async function selectDeniedValues(
  db: D1Database,
  after: number,
  limit: number,
): Promise<Pick<DeniedEntry, 'kind' | 'value' | 'seq'>[]> {
  const { results } = await db
    .prepare('SELECT kind, value, seq FROM denied WHERE lifted = 0 AND seq > ? ORDER BY seq LIMIT ?')
    .bind(after, limit)
    .all<Pick<DeniedEntry, 'kind' | 'value' | 'seq'>>()
  return results
}
