import type { Config } from '../../../platform/config/config.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'

/** Unpaid items that exist, or that are about to; `bytes` as they were declared. */
export interface AccountHoldings {
  items: number
  bytes: number
}

/** Accounts from which items are removed at most. */
const MOST_HOLDERS = 10

/** What an account has unpaid. */
export async function selectAccountHoldings(db: D1Database, userId: string): Promise<AccountHoldings> {
  const row = await db
    .prepare('SELECT items, bytes FROM holdings WHERE user_id = ?')
    .bind(userId)
    .first<AccountHoldings>()
  return row ?? { items: 0, bytes: 0 }
}

/** The other accounts that hold most, those before all that never paid; at most ten. */
export async function selectLargestHolders(
  db: D1Database,
  userId: string,
  by: 'items' | 'bytes',
): Promise<(AccountHoldings & { userId: string })[]> {
  const { results } = await db
    .prepare(
      `SELECT user_id AS userId, items, bytes FROM holdings WHERE user_id NOT IN ('', ?) AND items > 0
       ORDER BY EXISTS (SELECT 1 FROM ledger WHERE ledger.user_id = holdings.user_id), ${by} DESC LIMIT ${MOST_HOLDERS}`,
    )
    .bind(userId)
    .all<AccountHoldings & { userId: string }>()
  return results
}

/** Fails its batch where the unpaid items of all accounts, those of the batch included, are more than the budget. */
export function withinBudgetStatement(
  db: D1Database,
  { unpaidItems, unpaidBytes }: Pick<Config['budgets'], 'unpaidItems' | 'unpaidBytes'>,
): D1PreparedStatement {
  const within = `NOT EXISTS (SELECT 1 FROM holdings WHERE user_id = '' AND (items > ? OR bytes > ?))`
  return assertionStatement(db, within, unpaidItems, unpaidBytes)
}
