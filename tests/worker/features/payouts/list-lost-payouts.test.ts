import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { type PayoutRecord, putPayoutRecord } from '../../../../worker/features/payouts/record/payout-records.ts'
import { listLostPayouts } from '../../../../worker/features/payouts/restore/notice-restore.ts'
import { add, read } from '../../rows.ts'

function payoutOf(id: string): PayoutRecord {
  const asked = { id, account: 'ada', address: 'x', script: '51', amount: 7n, fee: 1n, feeRate: 1n }
  const coin = { txid: 'c'.repeat(64), vout: 0, value: 9n, script: '51' }
  const txChain = { script: '51', vsize: 1, fee: 1n, changeVout: 0, changeValue: 1n }
  return { ...asked, coin, txChain }
}

it('payouts that a restored database has lost are listed by their txids', async () => {
  await add('withdrawals', { id: 'known', blockchain: 'Dogecoin' })
  await putPayoutRecord(env.BUCKET, 'Dogecoin', 'a1', payoutOf('known'))
  for (const [id, txid] of [
    ['lost', 'a2'],
    ['other', 'a3'],
  ] as const)
    await putPayoutRecord(env.BUCKET, 'Dogecoin', txid, payoutOf(id))
  await listLostPayouts({ db: env.DB, bucket: env.BUCKET, now: 1 }, 'Dogecoin')
  expect(await read('sends', 'txid', 'amount')).toEqual({ a2: '7', a3: '7' })
})
