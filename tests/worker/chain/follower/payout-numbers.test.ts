import { env } from 'cloudflare:test'
import { beforeEach, expect, it } from 'vitest'
import {
  assertPayoutNumberStatement,
  raisePayoutNumberStatements,
  selectPayoutNumber,
} from '../../../../worker/chain/follower/payout-numbers.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear } from '../../rows.ts'

const { DB } = env

beforeEach(async () => {
  await clear('payout_numbers')
  await add('payout_numbers', { blockchain: 'Bitcoin', number: 7 }, { blockchain: 'Dogecoin', number: 9 })
})

it('the number of payouts is that of its chain at least, or what follows in the batch is not done', async () => {
  const isAtLeast = async (number: number, blockchain: 'Bitcoin' | 'Nativecoin' = 'Bitcoin') =>
    await batchIf(DB, [assertPayoutNumberStatement(DB, blockchain, number)])
  expect([await isAtLeast(6), await isAtLeast(7), await isAtLeast(8)]).toEqual([true, true, false])
  expect(await isAtLeast(0, 'Nativecoin')).toBe(false)
})

it('the number of payouts is raised from what was read, once', async () => {
  const raise = (from: number, to: number, blockchain: 'Bitcoin' | 'Nativecoin' = 'Bitcoin') =>
    batchIf(DB, raisePayoutNumberStatements(DB, blockchain, { from, to }))
  expect([await raise(7, 8), await raise(7, 8), await raise(9, 10)]).toEqual([true, false, false])
  expect([await raise(0, 1, 'Nativecoin'), await raise(0, 1, 'Nativecoin')]).toEqual([true, false])
  const numbers = [selectPayoutNumber(DB, 'Bitcoin'), selectPayoutNumber(DB, 'Nativecoin')]
  expect(await Promise.all([...numbers, selectPayoutNumber(DB, 'Dogecoin')])).toEqual([8, 1, 9])
})
