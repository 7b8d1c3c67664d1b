import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { consentToFee } from '../../../../worker/features/payouts/ask/consent-to-fee.ts'
import { createWithdrawal } from '../../../../worker/features/payouts/ask/create-withdrawal.ts'
import { beforeBatch } from '../../before-batch.ts'
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
  const db = beforeBatch(context.db, () => change(userId))
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

it('a higher fee is not taken from a deposit that leaves the chain meanwhile', async () => {
  const { userId } = await newUser()
  const deposit = {
    txid: `of ${userId}`,
    address: userId,
    amount: '1000000',
    block_height: 1,
    block_hash: 'x',
    credited: 1,
  }
  await add('addresses', { address: userId, user_id: userId })
  await add('outputs', deposit)
  await add('ledger', { user_id: userId, seq: 1, amount: '1000000', balance: '1000000', cause: `output:${userId}` })
  await add('withdrawals', { id: `of ${userId}`, user_id: userId, fee: '0' })
  const { context } = noted()
  const leave = () =>
    env.DB.prepare('UPDATE outputs SET block_height = NULL, block_hash = NULL WHERE address = ?').bind(userId).run()
  const order = { id: `of ${userId}`, maxFee: 10n ** 9n }
  const consenting = consentToFee({ ...context, db: beforeBatch(context.db, leave) }, userId, order)
  await expect(consenting).rejects.toMatchObject({ code: 'balance_too_low' })
  expect(await count(`ledger WHERE user_id = '${userId}'`)).toBe(1)
})

it.each([
  [4, 'is taken'],
  [5, 'is refused as busy'],
])('a higher fee before whose debit the balance changes %i times %s', async (times, outcome) => {
  const { userId } = await newUser()
  const account = { user_id: userId, amount: '1000000' }
  await add('ledger', { ...account, seq: 1, balance: '1000000', cause: `manual:${userId}` })
  await add('withdrawals', { id: `of ${userId}`, user_id: userId, fee: '0' })
  const { context } = noted()
  let seq = 1
  const credit = () =>
    add('ledger', { ...account, seq: ++seq, balance: `${seq}000000`, cause: `manual:${userId}:${seq}` })
  const db = beforeBatch(context.db, credit, 1, times)
  const consenting = consentToFee({ ...context, db }, userId, { id: `of ${userId}`, maxFee: 10n ** 9n })
  if (outcome === 'is taken') await consenting
  else await expect(consenting).rejects.toMatchObject({ code: 'busy' })
  expect(await count(`ledger WHERE user_id = '${userId}'`)).toBe(6)
})
