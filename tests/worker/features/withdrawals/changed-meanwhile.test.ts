import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { createWithdrawal } from '../../../../worker/features/withdrawals/create-withdrawal.ts'
import { noted } from '../../noted-calls.ts'
import { add, addMany, count } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { newUser } from '../payments/pay-for-items.ts'

const chain = useDevnet()

/** Asks for a withdrawal while `change` comes before the first batch that would debit it; how many there are then. */
async function askWhile(
  change: (userId: string) => Promise<unknown>,
): Promise<{ userId: string; asking: Promise<string> }> {
  const { userId } = await newUser()
  await add('ledger', { user_id: userId, seq: 1, amount: '1000000', balance: '1000000', cause: `manual:${userId}` })
  const { context } = noted()
  let isFirst = true
  const batch: D1Database['batch'] = async (statements) => {
    if (isFirst) await change(userId)
    isFirst = false
    return await context.db.batch(statements)
  }
  const db = new Proxy(context.db, { get: (target, name) => (name === 'batch' ? batch : Reflect.get(target, name)) })
  const address = String(chain.call('Bitcoin', 'getnewaddress'))
  const order = { blockchain: 'Bitcoin' as const, address, amount: 200_000n, maxFee: undefined }
  return { userId, asking: createWithdrawal({ ...context, db }, userId, order) }
}

it('a withdrawal is not taken from an account that is closed meanwhile', async () => {
  const close = (id: string) => env.DB.prepare('UPDATE users SET status = 0 WHERE id = ?').bind(id).run()
  const { userId, asking } = await askWhile(close)
  await expect(asking).rejects.toMatchObject({ code: 'busy' })
  expect(await count(`withdrawals WHERE user_id = '${userId}'`)).toBe(0)
})

it('a withdrawal is not the twenty-first that waits, also where the others came meanwhile', async () => {
  const others = (id: string) => addMany('withdrawals', 20, { id: `'${id}' || n`, user_id: `'${id}'` })
  const { userId, asking } = await askWhile(others)
  await expect(asking).rejects.toMatchObject({ status: 429 })
  expect(await count(`withdrawals WHERE user_id = '${userId}'`)).toBe(20)
})
