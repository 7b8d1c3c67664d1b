import type { StopPart } from '../../../../contract/states.ts'
import type { OwnTransaction } from '../../transactions/sql/transactions.ts'

/**
 * Those of `transactions` that may be sent while parts of the chain are stopped. One of an item or a withdrawal that was never
 * sent waits, with all that follow it in its tx chain; one that was sent before is sent again as usual, and what pays more for such,
 * gathers coins or spends one back is sent, too. `unmined` are all that have no block. Pure.
 */
export function withoutStopped(
  transactions: readonly OwnTransaction[],
  unmined: readonly OwnTransaction[],
  stopped: ReadonlySet<StopPart>,
): readonly OwnTransaction[] {
  if (stopped.size === 0) return transactions
  const firstOf = new Map<number, number>()
  for (const one of unmined) {
    if (!isStopped(one, stopped)) continue
    firstOf.set(one.txChain, Math.min(one.seq, firstOf.get(one.txChain) ?? one.seq))
  }
  return transactions.filter(({ txChain, seq }) => seq < (firstOf.get(txChain) ?? Number.POSITIVE_INFINITY))
}

function isStopped({ state, attempts, itemId, withdrawalId }: OwnTransaction, stopped: ReadonlySet<StopPart>): boolean {
  const isOfPart =
    (withdrawalId !== undefined && stopped.has('payouts')) || (itemId !== undefined && stopped.has('writing'))
  return isOfPart && state === 'signed' && attempts === 0
}
