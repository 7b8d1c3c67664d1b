import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { debitLost, debitLostFee } from '../../../../worker/features/payouts/end/debit-lost.ts'
import { add, read } from '../../rows.ts'

const withdrawal = { id: 'w', userId: 'ada', blockchain: 'Bitcoin', fee: 5n } as const

it('a lost withdrawal is debited with what the balance has, and with nothing where that is empty', async () => {
  const lost = { id: 'w', amount: 10n, fee: 3n }
  expect(await debitLost(env.DB, lost, withdrawal, 1)).toEqual({ taken: 0n, statements: [] })
  await add('ledger', { seq: 1, amount: '11', balance: '11', cause: 'manual:a' })
  const { taken, statements } = await debitLost(env.DB, lost, withdrawal, 1)
  await env.DB.batch(statements)
  expect(taken).toBe(11n)
  expect(await read('ledger', 'cause', 'amount')).toMatchObject({ 'withdrawal:w': '-10', 'withdrawal-fee:w': '-1' })
})

it('a lost consent is debited only where the fee of the payout is above what the database has', async () => {
  for (const fee of [4n, 5n]) {
    expect(await debitLostFee(env.DB, withdrawal, { fee, feeRate: 1n }, 1)).toEqual({ loss: 0n, statements: [] })
  }
  expect((await debitLostFee(env.DB, withdrawal, { fee: 7n, feeRate: 1n }, 1)).loss).toBe(2n)
  const service = { ...withdrawal, userId: 'service' }
  expect(await debitLostFee(env.DB, service, { fee: 7n, feeRate: 1n }, 1)).toEqual({ loss: 0n, statements: [] })
})
