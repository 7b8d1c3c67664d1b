import type { Blockchain } from '../../../../protocol/chains.ts'
import { insertSendsStatement } from '../../transactions/sql/list-sends.ts'
import type { EndContext } from '../end/end-withdrawal.ts'
import { getLastPayout, listPaid } from '../record/payout-records.ts'
import { selectWithdrawalsById } from '../sql/withdrawals.ts'

/** Payouts listed at most, with two reads of the bucket each: one invocation has 1,000. */
const MOST = 300

/**
 * Lists among the sends of a chain, to be assigned, the payouts of withdrawals that a restored database has lost altogether, by the
 * records in the bucket: the wallet may have been replaced since, and not know them either.
 */
export async function listLostPayouts({ db, bucket, now }: EndContext, blockchain: Blockchain): Promise<void> {
  let left = MOST
  for await (const ids of listPaid(bucket, blockchain)) {
    const known = new Set((await selectWithdrawalsById(db, ids)).map(({ id }) => id))
    const lost = ids.filter((id) => !known.has(id))
    if (lost.length > left) console.error('payouts_not_listed', blockchain, lost.length - left)
    const found = await Promise.all(lost.slice(0, left).map((id) => getLastPayout(bucket, blockchain, id)))
    left -= Math.min(left, lost.length)
    const sends = found.flatMap((last) => (last ? [{ txid: last.txid, amount: last.paid.amount }] : []))
    if (sends.length > 0) await insertSendsStatement(db, blockchain, sends, { now, assigned: undefined }).run()
  }
}
