import { inParts } from '../../../platform/d1/in-parts.ts'
import { selectQuotes } from '../../items/sql/writes.ts'
import { selectWithdrawalsById } from '../../payouts/sql/withdrawals.ts'
import type { Quote } from '../../transactions/sign/tx-chain-fees.ts'
import type { OwnTransaction } from '../../transactions/sql/transactions.ts'

/** What the items and withdrawals were quoted that transactions are for. */
export async function readQuotes(
  db: D1Database,
  transactions: readonly Pick<OwnTransaction, 'itemId' | 'withdrawalId'>[],
): Promise<Quote[]> {
  const itemIds = new Set(transactions.flatMap(({ itemId }) => itemId ?? []))
  const withdrawalIds = new Set(transactions.flatMap(({ withdrawalId }) => withdrawalId ?? []))
  const quotes: Quote[] = []
  for (const part of inParts([...itemIds])) quotes.push(...(await selectQuotes(db, part)))
  for (const part of inParts([...withdrawalIds])) {
    for (const { id, feeRate } of await selectWithdrawalsById(db, part)) quotes.push({ id, feeRate })
  }
  return quotes
}
