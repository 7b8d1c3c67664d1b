import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { assertPayoutCountStatement, selectPayoutSums } from '../../../../../worker/features/payouts/sql/payout-sums.ts'
import { endUnsignedStatements } from '../../../../../worker/features/payouts/sql/withdrawal-ends.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear } from '../../../rows.ts'

const { DB } = env
const HOUR = 3_600_000
const NOW = 100 * HOUR

it('of the last hour and day is what counts of payouts, but for those of operators', async () => {
  await clear('transactions', 'tx_chains', 'withdrawals')
  const paid = { state: 'sent', released_at: NOW - HOUR + 1 }
  await add(
    'withdrawals',
    { ...paid, id: 'own', amount: '1' },
    { ...paid, id: 'earlier', amount: '20', released_at: NOW - HOUR },
    { ...paid, id: 'yesterday', amount: '300', released_at: NOW - 24 * HOUR },
    { ...paid, id: 'bobs', user_id: 'bob', amount: '4000' },
    { ...paid, id: 'approved', amount: '50000', approved: 1 },
    { ...paid, id: 'sweep', user_id: 'service', amount: '600000' },
    { ...paid, id: 'dogs', blockchain: 'Dogecoin', amount: '7000000' },
    { id: 'waiting', amount: '80000000' },
  )
  expect(await selectPayoutSums(DB, 'Bitcoin', 'ada', NOW)).toEqual({
    own: { hour: 1n, day: 21n },
    all: { hour: 4001n, day: 4021n },
    count: 3,
  })
  const counted = async (count: number) => await batchIf(DB, [assertPayoutCountStatement(DB, 'Bitcoin', count, NOW)])
  expect([await counted(3), await counted(4)]).toEqual([true, false])
})

it('what was paid out counts whatever became of it since', async () => {
  await clear('transactions', 'tx_chains', 'withdrawals')
  const paid = { amount: '1', released_at: NOW - HOUR + 1 }
  await add(
    'withdrawals',
    ...['waiting', 'failed', 'sent', 'confirmed', 'refunded', 'paid_elsewhere'].map((state) => ({
      ...paid,
      id: state,
      state,
    })),
  )
  expect(await selectPayoutSums(DB, 'Bitcoin', 'ada', NOW)).toMatchObject({ own: { hour: 6n }, all: { hour: 6n } })
})

it('the sums are exact above what a number of JavaScript holds', async () => {
  await clear('transactions', 'tx_chains', 'withdrawals')
  const paid = { state: 'sent', released_at: NOW }
  const amounts = ['9000000000000000001', '9000000000000000001', '1999999999']
  await add('withdrawals', ...amounts.map((amount, n) => ({ ...paid, id: String(n), amount })))
  const hour = 18_000_000_002_000_000_001n
  expect(await selectPayoutSums(DB, 'Bitcoin', 'ada', NOW)).toMatchObject({ own: { hour }, all: { hour } })
})

it('a withdrawal ends at once only where nothing was signed for it, also when that is just being done', async () => {
  await clear('transactions', 'tx_chains', 'withdrawals')
  await add(
    'withdrawals',
    { id: 'free' },
    { id: 'held', state: 'held' },
    { id: 'tied', coin_txid: 'c' },
    { id: 'signed' },
    { id: 'ending', ending: 'refunded' },
    { id: 'sent', state: 'sent' },
  )
  await add('tx_chains', { id: 1 })
  await add('transactions', { txid: 't', withdrawal_id: 'signed', state: 'dead' })
  const ended: string[] = []
  for (const id of ['free', 'held', 'tied', 'signed', 'ending', 'sent']) {
    if (await batchIf(DB, endUnsignedStatements(DB, id, 'cancelled'))) ended.push(id)
  }
  expect(ended).toEqual(['free', 'held'])
})
