import type { AgentContext, StepContext } from '../../chain/follower/agent-context.ts'
import { recordFailure } from '../../chain/follower/each-record.ts'
import { selectFailedRecords } from '../../chain/follower/failed-records.ts'
import { raisePayoutNumberStatements, selectPayoutNumber } from '../../chain/follower/payout-numbers.ts'
import { deleteStopsStatement, selectStops } from '../../chain/follower/stops.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { getPayoutRecord, probePayoutRecords, putPayoutRecord } from '../wallet/payout-records.ts'
import type { OwnTransaction } from '../wallet/sql/transactions.ts'
import { selectTxChainScript } from '../wallet/sql/tx-chains.ts'
import { isOpen } from '../withdrawals/end-withdrawal.ts'
import { noticeRestore } from '../withdrawals/notice-restore.ts'
import { noteWaitingStatement, selectWithdrawalsById } from '../withdrawals/sql/withdrawals.ts'
import { stopPayouts } from '../withdrawals/stop-payouts.ts'

const NO_RECORDS =
  'The bucket takes no record of a payout, and nothing is paid out without one. Payouts go on by themselves when it does.'

const NO_COIN =
  'No coin is tied to it, so that it might be paid twice. It is not sent before the operator has looked at it.'

/**
 * Records each payout among `transactions` that was never sent before: in the bucket, and then their number, first in the database
 * and then with the agent. Returns the tx chains of which nothing may be sent now: payouts that could not be recorded, or, if the
 * database is older than the last payout, all of them. One whose withdrawal is to end waits for its coin to be spent back, and one
 * whose withdrawal is over is never sent. One that is tied to no coin might be paid twice, and is left to an operator.
 */
export async function recordPayouts(
  context: StepContext,
  transactions: readonly OwnTransaction[],
): Promise<Set<number>> {
  const { db, bucket, blockchain, numbers } = context
  const fresh = transactions.filter(
    ({ withdrawalId, attempts, state }) => withdrawalId !== undefined && attempts === 0 && state === 'signed',
  )
  if (fresh.length === 0) return new Set()
  const txChains = new Set(fresh.map(({ txChain }) => txChain))
  if (await noticeRestore(context, blockchain, numbers)) return txChains
  const from = await selectPayoutNumber(db, blockchain)
  const ids = fresh.flatMap(({ withdrawalId }) => withdrawalId ?? [])
  const withdrawals = new Map((await selectWithdrawalsById(db, ids)).map((one) => [one.id, one]))
  const held = new Set<number>()
  try {
    for (const { txid, withdrawalId = '', txChain, vsize, fee, changeVout, changeValue } of fresh) {
      const withdrawal = withdrawals.get(withdrawalId)
      if (withdrawal && (withdrawal.ending || !isOpen(withdrawal))) {
        held.add(txChain)
        continue
      }
      const script = await selectTxChainScript(db, blockchain, txChain)
      if (!withdrawal?.coin || script === undefined) {
        await leaveUntied(context, withdrawalId)
        held.add(txChain)
        continue
      }
      const { id, userId: account, amount, fee: debited, feeRate, address, script: to, coin, cold } = withdrawal
      const record = { id, account, amount, fee: debited, feeRate, address, script: to, coin, cold }
      const known = cold ? await getPayoutRecord(bucket, blockchain, txid) : undefined
      await putPayoutRecord(bucket, blockchain, txid, {
        ...record,
        unsigned: known?.unsigned,
        lane: { script, vsize, fee, changeVout, changeValue },
      })
    }
  } catch (error) {
    await stopWithoutRecords(context, error)
    return txChains
  }
  const to = from + fresh.filter(({ txChain }) => !held.has(txChain)).length
  if (to === from) return held
  if (!(await batchIf(db, raisePayoutNumberStatements(db, blockchain, { from, to })))) return txChains
  await numbers.write(to)
  return held
}

/** Stops payouts because the bucket took no record of one; {@link resumeRecords} lets them go on. */
export async function stopWithoutRecords({ db, blockchain, now }: AgentContext, error: unknown): Promise<void> {
  console.error('payout_not_recorded', blockchain, error)
  await stopPayouts(db, blockchain, { cause: 'records', reason: NO_RECORDS }, now)
}

/** Says once why a payout that no coin is tied to is not sent, to its owner and to operators. */
async function leaveUntied(context: AgentContext, id: string): Promise<void> {
  const { db, blockchain, now } = context
  const failedRecords = await selectFailedRecords(db, blockchain, 'refused')
  if (failedRecords.some((row) => row.id === id)) return
  await noteWaitingStatement(db, id, NO_COIN, now).run()
  await recordFailure(context, 'refused', id, new Error(NO_COIN))
}

/** Resumes payouts that were stopped because the bucket accepted no record of them, if it accepts one now. */
export async function resumeRecords({ db, bucket, blockchain, now }: AgentContext): Promise<void> {
  if (!(await selectStops(db, blockchain)).some(({ cause }) => cause === 'records')) return
  try {
    await probePayoutRecords(bucket, blockchain, now)
  } catch (error) {
    console.warn('payout_not_recorded', blockchain, error)
    return
  }
  await deleteStopsStatement(db, blockchain, 'payouts', ['records']).run()
}
