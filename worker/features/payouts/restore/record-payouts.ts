import { outpointOf } from '../../../../protocol/transaction.ts'
import type { AgentContext, StepContext } from '../../../chain/follower/agent-context.ts'
import { recordFailure } from '../../../chain/follower/each-record.ts'
import { retryFailedRecordStatement, selectFailedRecords } from '../../../chain/follower/failed-records.ts'
import { raisePayoutNumberStatements } from '../../../chain/follower/payout-numbers.ts'
import { deleteStopsStatement, selectStops } from '../../../chain/follower/stops.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { giveUpUnsent } from '../../transactions/sign/give-up.ts'
import type { OwnTransaction } from '../../transactions/sql/transactions.ts'
import { type Coin, selectTxChainScript } from '../../transactions/sql/tx-chains.ts'
import { stopPayouts } from '../../transactions/stop-payouts.ts'
import { isOpen } from '../end/end-withdrawal.ts'
import { getLastPayout, probePayoutRecords, putPayoutRecord } from '../record/payout-records.ts'
import { tieToPayoutStatements } from '../sql/tie-to-payouts.ts'
import { PERHAPS_PAID } from '../sql/withdrawal-labels.ts'
import { noteWaitingStatement } from '../sql/withdrawal-reasons.ts'
import { selectWithdrawalsById } from '../sql/withdrawals.ts'
import { noticeRestore } from './notice-restore.ts'
import { findEnded } from './withdrawal-labels.ts'

const NO_RECORDS =
  'The bucket takes no record of a payout, and nothing is paid out without one. Payouts go on by themselves when it does.'

const NO_COIN =
  'No coin is tied to it, so that it might be paid twice. It is not sent before the operator has looked at it.'

/**
 * Records each payout transaction in `transactions` that was never broadcast. First it stores a record of each in the R2
 * bucket. Then it raises the number of payouts, first in the database and then in the storage of the agent.
 *
 * Returns the tx chains from which nothing may be broadcast now. These are all tx chains with a new payout if a record or
 * the number could not be stored, or if the database was restored to a time before the last payout. Otherwise they are
 * those of payouts that must not be sent: the withdrawal has ended or is ending, also by the wallet's word alone, or the payout has no designated input
 * (`coin`). Without that input it might be paid twice, so an operator must decide.
 */
export async function recordPayouts(
  context: StepContext,
  transactions: readonly OwnTransaction[],
): Promise<Set<number>> {
  const { db, bucket, blockchain, numbers } = context
  const unsent = transactions.filter(
    ({ withdrawalId, attempts, state }) => withdrawalId !== undefined && attempts === 0 && state === 'signed',
  )
  if (unsent.length === 0) return new Set()
  const txChains = new Set(unsent.map(({ txChain }) => txChain))
  // As the agent has it: of a database that is restored meanwhile the next number may be one that was used.
  const from = await noticeRestore(context, blockchain, numbers)
  if (from === undefined) return txChains
  const ids = unsent.flatMap(({ withdrawalId }) => withdrawalId ?? [])
  const withdrawals = new Map((await selectWithdrawalsById(db, ids)).map((one) => [one.id, one]))
  // A database that was restored has signed and not sent what may have ended since.
  const ended = await findEnded(context, blockchain, ids)
  const blocked = new Set<number>()
  try {
    for (const { txid, withdrawalId = '', txChain, vsize, fee, changeVout, changeValue } of unsent) {
      const withdrawal = withdrawals.get(withdrawalId)
      if (withdrawal && (withdrawal.ending || !isOpen(withdrawal))) {
        blocked.add(txChain)
        continue
      }
      if (ended.has(withdrawalId)) {
        if (!ended.get(withdrawalId)) await reportKept(context, withdrawalId, PERHAPS_PAID)
        blocked.add(txChain)
        continue
      }
      const script = await selectTxChainScript(db, blockchain, txChain)
      if (!withdrawal?.coin || script === undefined) {
        await reportKept(context, withdrawalId, NO_COIN)
        blocked.add(txChain)
        continue
      }
      const giveUp = async () => await giveUpUnsent(db, blockchain, withdrawalId)
      if (await tieToEarlier(context, { ...withdrawal, coin: withdrawal.coin }, giveUp)) {
        blocked.add(txChain)
        continue
      }
      const { id, userId: account, amount, fee: debited, feeRate, address, script: payee, coin } = withdrawal
      const record = { id, account, amount, fee: debited, feeRate, address, script: payee, coin }
      const own = { script, vsize, fee, changeVout, changeValue }
      await putPayoutRecord(bucket, blockchain, txid, { ...record, txChain: own })
    }
  } catch (error) {
    await stopWithoutRecords(context, error)
    return txChains
  }
  const next = from + unsent.filter(({ txChain }) => !blocked.has(txChain)).length
  if (next === from) return blocked
  if (!(await batchIf(db, raisePayoutNumberStatements(db, blockchain, { from, to: next })))) return txChains
  await numbers.write(next)
  return blocked
}

/**
 * Ties a withdrawal to the coin of an earlier payout where that has another one, so that it could be paid twice: two agents have made
 * one for it, and the database was restored in between. The one made now is given up then, by the statements of `giveUp`. Returns whether
 * it was so.
 */
export async function tieToEarlier(
  { db, bucket, blockchain, now }: AgentContext,
  { id, coin }: { id: string; coin: Coin },
  giveUp: () => Promise<D1PreparedStatement[]>,
): Promise<boolean> {
  const last = await getLastPayout(bucket, blockchain, id)
  if (!last || outpointOf(last.paid.coin) === outpointOf(coin)) return false
  console.error('payout_not_sent', blockchain, id, `${last.txid} may have paid it`)
  await batchIf(db, [...(await giveUp()), ...tieToPayoutStatements(db, id, last.paid.coin, now)])
  return true
}

/** Stops payouts because a record could not be stored in the bucket. {@link resumeRecords} resumes them. */
async function stopWithoutRecords({ db, blockchain, now }: AgentContext, error: unknown): Promise<void> {
  console.error('payout_not_recorded', blockchain, error)
  await stopPayouts(db, blockchain, { cause: 'records', reason: NO_RECORDS }, now)
}

/** Reports once, to the owner and to operators, why a payout is not sent. */
async function reportKept(context: AgentContext, id: string, reason: string): Promise<void> {
  const { db, blockchain, now } = context
  const failedRecords = await selectFailedRecords(db, blockchain, 'refused')
  if (failedRecords.some((row) => row.id === id)) return
  await noteWaitingStatement(db, id, reason, now).run()
  await recordFailure(context, 'refused', id, new Error(reason))
}

/** Resumes payouts that {@link stopWithoutRecords} stopped, if the bucket stores a test record now. */
export async function resumeRecords({ db, bucket, blockchain, now }: AgentContext): Promise<void> {
  if (!(await selectStops(db, blockchain)).some(({ cause }) => cause === 'records')) return
  try {
    await probePayoutRecords(bucket, blockchain, now)
  } catch (error) {
    console.warn('payout_not_recorded', blockchain, error)
    return
  }
  await db.batch([
    deleteStopsStatement(db, blockchain, 'payouts', ['records']),
    retryFailedRecordStatement(db, { blockchain, kind: 'withdrawal' }),
  ])
}
