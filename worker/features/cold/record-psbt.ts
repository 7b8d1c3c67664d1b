import { CHAINS } from '../../../protocol/chains.ts'
import { putPayoutRecord } from '../wallet/payout-records.ts'
import type { Coin } from '../wallet/sql/tx-chains.ts'
import type { Withdrawal } from '../withdrawals/sql/withdrawals.ts'
import { readRawPayout } from './raw-payout.ts'
import type { HandedPsbt } from './sql/psbts.ts'

/**
 * Stores what the payout of a handed-out transaction is: under `txid`, which without segwit is that without signatures until it is
 * signed. @throws where the bucket does not take it.
 */
export async function putColdRecord(
  bucket: R2Bucket,
  handed: HandedPsbt,
  withdrawal: Withdrawal & { coin: Coin },
  txid: string,
): Promise<void> {
  const { id, userId: account, amount, fee, feeRate, address, script, coin, cold } = withdrawal
  const { blockchain, psbt, vsize, fee: paid, changeVout, changeValue, changeScript } = handed
  const unsigned = CHAINS[blockchain].segwit ? undefined : { id: handed.txid, since: readRawPayout(psbt).since }
  const lane = { script: changeScript, vsize, fee: paid, changeVout, changeValue }
  const record = { id, account, amount, fee, feeRate, address, script, coin, cold, unsigned, lane }
  await putPayoutRecord(bucket, blockchain, txid, record)
}
