import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { COUNTED_LIMITS } from '../../../platform/http/rate-limits.ts'

/** One request under a key: of `attempt`, until another takes it over. */
export interface KeyClaim {
  userId: string
  key: string
  /** SHA-256 of method, path and body, hex. */
  request: string
  attempt: string
}

/** An answer as it is stored; `body` is JSON text, empty for none. */
export interface StoredAnswer {
  status: number
  body: string
}

/** What became of a claim, and how many keys the user has. `full`: as many as one may have. */
export type ClaimOutcome = { keys: number } & (
  | { state: 'claimed' | 'running' | 'reused' | 'full' }
  | { state: 'answered'; answer: StoredAnswer }
)

/** How long a key is stored, in milliseconds. */
export const KEY_AGE = LIFETIMES.idempotencyKey * 1000
/** A request that has not ended after so many milliseconds counts as cut off. */
export const KEY_BUSY = 60_000
/** Keys of one user. */
export const { most: MAX_KEYS } = COUNTED_LIMITS.idempotency
/** Keys deleted by one sweep. */
const SWEPT = 500

interface KeyRow {
  request: string
  attempt: string
  status: number | null
  body: string | null
  keys: number
}

/**
 * Claims a key for one attempt: a new one, one that is older than {@link KEY_AGE}, or one whose attempt was cut off. What
 * that one may still write fails ({@link answerKeyStatements}).
 */
export async function claimKey(db: D1Database, claim: KeyClaim, now: number): Promise<ClaimOutcome> {
  const { userId, key, request, attempt } = claim
  await db
    .prepare(
      `INSERT INTO idempotency_keys (user_id, key, request, attempt, busy_until, seq, created_at)
       SELECT ?1, ?2, ?3, ?4, ?5 + ${KEY_BUSY}, 1 + IFNULL((SELECT MAX(seq) FROM idempotency_keys WHERE user_id = ?1), 0), ?5
       WHERE EXISTS (SELECT 1 FROM idempotency_keys WHERE user_id = ?1 AND key = ?2)
         OR ((SELECT MAX(seq) FROM idempotency_keys WHERE user_id = ?1)
           - (SELECT MIN(seq) FROM idempotency_keys WHERE user_id = ?1) >= ${MAX_KEYS - 1}) IS NOT TRUE
       ON CONFLICT (user_id, key) DO UPDATE SET request = ?3, attempt = ?4, busy_until = excluded.busy_until,
         status = NULL, body = NULL, created_at = IIF(created_at <= ?5 - ${KEY_AGE}, ?5, created_at)
         WHERE created_at <= ?5 - ${KEY_AGE}
           OR (status IS NULL AND request = ?3 AND busy_until NOT BETWEEN ?5 AND ?5 + ${KEY_BUSY})`,
    )
    .bind(userId, key, request, attempt, now)
    .run()
  const row = await selectKey(db, claim)
  if (!row) return { state: 'full', keys: MAX_KEYS }
  const { keys } = row
  if (row.attempt === attempt) return { state: 'claimed', keys }
  if (row.request !== request) return { state: 'reused', keys }
  const answer = answerOf(row)
  return answer ? { state: 'answered', answer, keys } : { state: 'running', keys }
}

/** The answer that is stored under the key of a claim, of any attempt. */
export async function selectAnswer(db: D1Database, claim: KeyClaim): Promise<StoredAnswer | undefined> {
  const row = await selectKey(db, claim)
  return row?.request === claim.request ? answerOf(row) : undefined
}

/** The statements that store the answer of a claim; they fail their batch when another attempt has the key. */
export function answerKeyStatements(db: D1Database, claim: KeyClaim, answer: StoredAnswer): D1PreparedStatement[] {
  const { userId, key, attempt } = claim
  return [
    assertionStatement(
      db,
      'EXISTS (SELECT 1 FROM idempotency_keys WHERE user_id = ? AND key = ? AND attempt = ? AND status IS NULL)',
      ...[userId, key, attempt],
    ),
    answerKeyStatement(db, claim, answer),
  ]
}

/** The statement that stores the answer of a claim, where none is stored yet and no other attempt has the key. */
export function answerKeyStatement(db: D1Database, claim: KeyClaim, answer: StoredAnswer): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE idempotency_keys SET status = ?, body = ?
       WHERE user_id = ? AND key = ? AND attempt = ? AND status IS NULL`,
    )
    .bind(answer.status, answer.body, claim.userId, claim.key, claim.attempt)
}

/** Abandons a claim that has no answer; `false` when it has one, or is another attempt's by now. */
export async function releaseKey(db: D1Database, claim: KeyClaim): Promise<boolean> {
  const { meta } = await db
    .prepare('DELETE FROM idempotency_keys WHERE user_id = ? AND key = ? AND attempt = ? AND status IS NULL')
    .bind(claim.userId, claim.key, claim.attempt)
    .run()
  return meta.changes > 0
}

/** Deletes the oldest keys of more than {@link KEY_AGE}, some at a time. */
export async function sweepKeys(db: D1Database, now: number): Promise<void> {
  await db
    .prepare(
      `DELETE FROM idempotency_keys WHERE rowid IN (
         SELECT rowid FROM idempotency_keys WHERE created_at <= ? ORDER BY created_at LIMIT ${SWEPT})`,
    )
    .bind(now - KEY_AGE)
    .run()
}

async function selectKey(db: D1Database, { userId, key }: KeyClaim): Promise<KeyRow | undefined> {
  const row = await db
    .prepare(
      `SELECT request, attempt, status, body, 1 + (SELECT MAX(seq) FROM idempotency_keys WHERE user_id = ?1)
         - (SELECT MIN(seq) FROM idempotency_keys WHERE user_id = ?1) AS keys
       FROM idempotency_keys WHERE user_id = ?1 AND key = ?2`,
    )
    .bind(userId, key)
    .first<KeyRow>()
  return row ?? undefined
}

function answerOf({ status, body }: KeyRow): StoredAnswer | undefined {
  return status === null ? undefined : { status, body: body ?? '' }
}
