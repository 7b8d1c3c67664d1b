import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { decideUnknownPayout, unknownPayoutReason } from '../../../../worker/features/payouts/end/unknown-payout.ts'
import { selectWithdrawalsById } from '../../../../worker/features/payouts/sql/withdrawals.ts'
import { add, read } from '../../rows.ts'
import { noLabels } from './no-labels.ts'

it('what an operator says of a payout is refused where the withdrawal has changed since it was read', async () => {
  await add('withdrawals', { id: 'w', ending: 'refunded', reason: unknownPayoutReason('a') })
  const [read_] = await selectWithdrawalsById(env.DB, ['w'])
  await env.DB.prepare('UPDATE withdrawals SET reason = ?').bind(unknownPayoutReason('b')).run()
  const context = { ...noLabels, db: env.DB, bucket: env.BUCKET, now: 1, noticeRestore: async () => 0 }
  if (!read_) throw new Error('it is not there')
  await expect(decideUnknownPayout(context, read_, 'refunded', () => [])).rejects.toMatchObject({ code: 'busy' })
  expect(await read('withdrawals', 'id', 'reason')).toEqual({ w: unknownPayoutReason('b') })
})

it('what an operator says of a payout is counted once with the payouts', async () => {
  await add('withdrawals', { id: 'paid', ending: 'refunded', reason: unknownPayoutReason('a') })
  await add('payout_numbers', { blockchain: 'Bitcoin', number: 3 })
  const [withdrawal] = await selectWithdrawalsById(env.DB, ['paid'])
  const numbers = async () => (await read('payout_numbers', 'blockchain', 'number')).Bitcoin
  const context = {
    ...noLabels,
    db: env.DB,
    bucket: env.BUCKET,
    now: 1,
    noticeRestore: async () => Number(await numbers()),
  }
  if (!withdrawal) throw new Error('it is not there')
  await decideUnknownPayout(context, withdrawal, 'paid_elsewhere', () => [])
  expect(await numbers()).toBe(4)
})
