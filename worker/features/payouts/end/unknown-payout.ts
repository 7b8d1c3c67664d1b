import { retryFailedRecordStatement } from '../../../chain/follower/failed-records.ts'
import { assertPayoutNumberStatement } from '../../../chain/follower/payout-numbers.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { unavailable } from '../../../platform/http/errors.ts'
import { deleteEndRecord } from '../record/end-records.ts'
import { deletePayoutMark } from '../record/payout-records.ts'
import { redirectEndingStatements } from '../sql/withdrawal-ends.ts'
import type { Withdrawal, WithdrawalEnding } from '../sql/withdrawals.ts'
import { type EndingContext, RETURNING_TO_WALLET, recordEnd } from './end-withdrawal.ts'

const PAYOUT_UNKNOWN =
  'What it was to be paid with is spent in a block, and the wallet has lost its last payment, which may have been mined. ' +
  'The operator looks for that on the chain first:'

/** What a withdrawal waits for whose last payout may have been mined, though neither database nor wallet know. */
export function unknownPayoutReason(txid: string): string {
  return `${PAYOUT_UNKNOWN} ${txid}`
}

/** Whether a withdrawal that ends waits for an operator to say what became of its last payout. Pure. */
export function hasUnknownPayout({ ending, reason }: Pick<Withdrawal, 'ending' | 'reason'>): boolean {
  return ending === 'refunded' && Boolean(reason?.startsWith(PAYOUT_UNKNOWN))
}

/**
 * Takes an operator's word on the last payout of a withdrawal: it was never mined, and the money is returned; or it was, which is being
 * paid elsewhere for this service. The chain's agent ends it then. `record` makes what is in the same batch. Returns it as it was.
 * @throws {AppError} 503
 */
export async function decideUnknownPayout(
  context: EndingContext,
  withdrawal: Withdrawal,
  ending: WithdrawalEnding,
  record: (withdrawal: Withdrawal) => D1PreparedStatement[],
): Promise<Withdrawal> {
  const { db, bucket, now } = context
  const { id, blockchain, reason = '' } = withdrawal
  const isSame =
    ending === 'refunded'
      ? []
      : [assertPayoutNumberStatement(db, blockchain, await recordEnd(context, withdrawal, ending))]
  const redirected = redirectEndingStatements(db, id, reason, { ending, reason: RETURNING_TO_WALLET }, now)
  const retried = retryFailedRecordStatement(db, { blockchain, kind: 'withdrawal', id })
  if (!(await batchIf(db, [...isSame, ...redirected, retried, ...record(withdrawal)]))) {
    throw unavailable('busy', 'The withdrawal has changed since you read it. Read it again.')
  }
  // Where this fails the agent asks once more.
  if (ending === 'refunded') await deletePayoutMark(bucket, blockchain, id)
  else await deleteEndRecord(bucket, blockchain, { id, ended: 'refunded' })
  return withdrawal
}
