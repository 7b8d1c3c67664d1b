import type { Config } from '../../platform/config/config.ts'
import { unavailable } from '../../platform/http/errors.ts'
import { logOnceAMinute } from '../../platform/records/log-once-a-minute.ts'
import { quotaRefusal } from '../auth/quotas.ts'
import type { Allowance } from './allowance.ts'
import { type AccountHoldings, selectAccountHoldings, selectLargestHolders } from './sql/holdings.ts'
import { removeOldestItems } from './sql/move-items.ts'
import { ITEMS_USED } from './sql/used.ts'

/** What is removed beyond what is needed, so that holders are not compared for each: items, and a part of all bytes. */
const SPARE_ITEMS = 100
const SPARE_PART = 100
/** So many removed items wait to be deleted that none are removed for accounts that never paid. */
const MOST_REMOVED = 20_000
const RETRY_AFTER_SECONDS = 60

/**
 * Where new items of a user would pass what all accounts together may have unpaid, removes the items that were changed longest
 * ago, of the account that holds most: first of those that never paid, never of the user. Items in an open payment request stay.
 * An account that has paid is never refused: its own quotas bound it. `most`: what these may become by paying.
 * @throws {AppError} 409 where the user's own quotas refuse the items anyway: then nothing is removed; 503 `database_full` where
 * nothing can be removed for an account that never paid.
 */
export async function evictUnpaidItems(
  db: D1Database,
  userId: string,
  { limits, hasPaid, held }: Pick<Allowance, 'limits' | 'hasPaid' | 'held'>,
  adding: AccountHoldings,
  { budgets, quotas: most }: Pick<Config, 'budgets' | 'quotas'>,
  now: number,
): Promise<void> {
  const { unpaidItems, unpaidBytes } = budgets
  let items = held.items + adding.items - unpaidItems
  let bytes = held.bytes + adding.bytes - unpaidBytes
  if (items <= 0 && bytes <= 0) return
  logOnceAMinute('warn', 'unpaid_budget_full', held)
  const asked = { unpaidItems: adding.items, unpaidBytes: adding.bytes }
  const refusal = await quotaRefusal(db, userId, ITEMS_USED, limits, asked, most)
  if (refusal) throw refusal
  if (hasPaid || held.removed < MOST_REMOVED) {
    const mine = await selectAccountHoldings(db, userId)
    for (const holder of await selectLargestHolders(db, userId, items > 0 ? 'items' : 'bytes')) {
      // No other account that never paid holds more.
      if (!hasPaid && !holdsMore(holder, mine, items > 0)) break
      const wanted = {
        items: items > 0 ? items + SPARE_ITEMS : 0,
        bytes: bytes > 0 ? bytes + Math.floor(unpaidBytes / SPARE_PART) : 0,
      }
      await removeOldestItems(db, holder.userId, wanted, now)
      const left = await selectAccountHoldings(db, holder.userId)
      items -= holder.items - left.items
      bytes -= holder.bytes - left.bytes
      if (items <= 0 && bytes <= 0) return
    }
  }
  if (hasPaid) return
  const message =
    'This service has as many unpaid items as it allows. Try again in a minute, or pay into your balance first.'
  throw unavailable('database_full', message, { retryAfter: RETRY_AFTER_SECONDS })
}

function holdsMore(holder: AccountHoldings, mine: AccountHoldings, byItems: boolean): boolean {
  return byItems ? holder.items > mine.items : holder.bytes > mine.bytes
}
