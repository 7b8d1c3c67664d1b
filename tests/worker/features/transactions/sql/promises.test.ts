import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { selectPromisedPayouts } from '../../../../../worker/features/transactions/sql/promises.ts'
import { add } from '../../../rows.ts'

it('the wallet owes what withdrawals on their way will spend beyond their coins, held ones included', async () => {
  const states = ['waiting', 'held', 'sent', 'failed', 'confirmed', 'cancelled', 'refunded', 'paid_elsewhere']
  // Each with another digit, so that the sum says which count; one of fee for each.
  await add('withdrawals', ...states.map((state, at) => ({ id: state, state, amount: String(10 ** (at + 1)) })))
  expect(await selectPromisedPayouts(env.DB, 'Bitcoin')).toBe(11_114n)
  await add('withdrawals', { id: 'dog', blockchain: 'Dogecoin' })
  await add('withdrawals', { id: 'tied', amount: '700000', coin_value: '200000' })
  await add('withdrawals', { id: 'large coin', amount: '5', coin_value: '200000' })
  expect(await selectPromisedPayouts(env.DB, 'Bitcoin')).toBe(511_115n)
  await add('withdrawals', { id: 'signed', amount: '3000000' })
  expect(await selectPromisedPayouts(env.DB, 'Bitcoin')).toBe(3_511_116n)
  await add('tx_chains', { id: 1 })
  await add('transactions', { txid: 'a', withdrawal_id: 'signed' })
  await add('transactions', { txid: 'b', withdrawal_id: 'held', state: 'dead', dead: 1, seq: 1 })
  expect(await selectPromisedPayouts(env.DB, 'Bitcoin')).toBe(511_115n)
})
