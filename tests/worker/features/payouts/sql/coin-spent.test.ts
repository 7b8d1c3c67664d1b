import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  clearCoinSpentStatement,
  noteCoinSpentStatement,
} from '../../../../../worker/features/payouts/sql/withdrawal-ends.ts'
import { add, clear } from '../../../rows.ts'

beforeEach(() => clear('withdrawals'))
afterEach(() => clear('withdrawals'))

/** At which height the coin of each withdrawal was found spent, by the withdrawal's id. */
async function heights(): Promise<unknown> {
  const { results } = await env.DB.prepare('SELECT id, spent_height FROM withdrawals ORDER BY id').all()
  return Object.fromEntries(results.map(({ id, spent_height }) => [id, spent_height]))
}

it('the height at which a coin was first found spent stays, of its withdrawal alone, until nothing spends it', async () => {
  for (const id of ['a', 'b']) await add('withdrawals', { id, state: 'sent', ending: 'refunded' })
  await noteCoinSpentStatement(env.DB, 'a', 7).run()
  await noteCoinSpentStatement(env.DB, 'a', 9).run()
  expect(await heights()).toEqual({ a: 7, b: null })
  await noteCoinSpentStatement(env.DB, 'b', 8).run()
  await clearCoinSpentStatement(env.DB, 'a').run()
  expect(await heights()).toEqual({ a: null, b: 8 })
})
