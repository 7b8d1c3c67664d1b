import { LIFETIMES } from '../../../contract/lifetimes.ts'
import type { Config } from '../../platform/config/config.ts'
import {
  countSessions,
  deleteFirstSessions,
  deletePendingUsers,
  selectMostSessions,
  selectPendingBeyond,
  selectPendingUntil,
} from '../auth/sql/account-budgets.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
/** Accounts whose address was not verified are stored so long, in milliseconds. */
const PENDING_KEPT = LIFETIMES.unverified * 1000
/** Rows that are deleted in one statement. */
const AT_ONCE = 5_000
/** Accounts whose sessions are fewer after one run. */
const HOLDERS = 20

/**
 * Deletes pending accounts and sessions beyond what all accounts together may have: of accounts the oldest, of sessions
 * those that end first of whoever has most. Sessions are counted once an hour, since a count reads them all. `now` in
 * milliseconds.
 */
export async function enforceAccountBudgets(db: D1Database, budgets: Config['budgets'], now: number): Promise<void> {
  await deletePendingAccounts(db, budgets.pendingAccounts, now)
  if (now % HOUR < MINUTE) await deleteSessionsBeyond(db, budgets.sessions)
}

/** Deletes accounts that were never verified, with what waits for that: those above `most`, and those that are old. */
export async function deletePendingAccounts(db: D1Database, most: number, now: number): Promise<void> {
  const until = Math.max((await selectPendingBeyond(db, most)) ?? 0, now - PENDING_KEPT)
  const ids = await selectPendingUntil(db, until, AT_ONCE)
  if (ids.length > 0) await deletePendingUsers(db, ids)
}

/** Deletes sessions above `most`: of each account that has most of them at most half. */
export async function deleteSessionsBeyond(db: D1Database, most: number): Promise<void> {
  let over = (await countSessions(db)) - most
  if (over <= 0) return
  for (const { userId, sessions } of await selectMostSessions(db, HOLDERS)) {
    const ended = Math.min(over, Math.ceil(sessions / 2), AT_ONCE)
    await deleteFirstSessions(db, userId, ended)
    over -= ended
    if (over <= 0) return
  }
}
