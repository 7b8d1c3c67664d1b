import type { StepContext } from '../../chain/follower/agent-context.ts'
import { raisePayoutNumberStatements, selectPayoutNumber } from '../../chain/follower/payout-numbers.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { noticeRestore } from '../withdrawals/notice-restore.ts'
import { selectWithdrawalsById } from '../withdrawals/sql/withdrawals.ts'
import { stopWithoutRecords } from '../writer/record-payouts.ts'
import { putColdRecord } from './record-psbt.ts'
import { type HandedPsbt, markOfferedStatement } from './sql/psbts.ts'

/**
 * Lets PSBTs be shown that are not yet. Who has one may have it mined, so that it is a payout from then on: its record is in the
 * bucket before, and it is counted in the database and with the agent, by which a database that is older is noticed.
 */
export async function offerPsbts(context: StepContext, handed: readonly HandedPsbt[]): Promise<void> {
  const fresh = handed.filter(({ offered }) => !offered)
  if (fresh.length === 0) return
  const { db, bucket, blockchain, numbers } = context
  if (await noticeRestore(context, blockchain, numbers)) return
  const ids = fresh.map(({ withdrawalId }) => withdrawalId)
  const withdrawals = new Map((await selectWithdrawalsById(db, ids)).map((one) => [one.id, one]))
  for (const psbt of fresh) {
    const withdrawal = withdrawals.get(psbt.withdrawalId)
    if (!withdrawal?.coin || withdrawal.ending) continue
    try {
      await putColdRecord(bucket, psbt, { ...withdrawal, coin: withdrawal.coin }, psbt.txid)
    } catch (error) {
      return await stopWithoutRecords(context, error)
    }
    const from = await selectPayoutNumber(db, blockchain)
    if (!(await batchIf(db, raisePayoutNumberStatements(db, blockchain, { from, to: from + 1 })))) return
    await numbers.write(from + 1)
    await markOfferedStatement(db, psbt).run()
  }
}
