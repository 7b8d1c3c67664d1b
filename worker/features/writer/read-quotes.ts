import type { OwnTransaction } from '../wallet/sql/transactions.ts'
import { selectWithdrawalsById } from '../withdrawals/sql/withdrawals.ts'
import type { Quote } from './lane-fees.ts'
import { selectQuotes } from './sql/writes.ts'

/** What the items and withdrawals were quoted that transactions are for. */
export async function readQuotes(
  db: D1Database,
  transactions: readonly Pick<OwnTransaction, 'itemId' | 'withdrawalId'>[],
): Promise<Quote[]> {
  const itemIds = new Set(transactions.flatMap(({ itemId }) => itemId ?? []))
  const withdrawalIds = new Set(transactions.flatMap(({ withdrawalId }) => withdrawalId ?? []))
  const items = itemIds.size > 0 ? await selectQuotes(db, [...itemIds]) : []
  const withdrawals = withdrawalIds.size > 0 ? await selectWithdrawalsById(db, [...withdrawalIds]) : []
  return [...items, ...withdrawals]
}
