import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { creditByHand } from '../../../../worker/features/operate/credit-by-hand.ts'
import { payOutHeld, sweepCoins } from '../../../../worker/features/operate/pay-out.ts'
import { beforeBatch } from '../../before-batch.ts'
import { askedTwice, beaten, noted } from '../../noted-calls.ts'
import { add, clear, list } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
beforeEach(async () => {
  await clear('withdrawals', 'ledger', 'outputs', 'addresses', 'users')
  await add('users', { id: 'closed', status: 0 }, { id: 'open' })
  for (const user_id of ['closed', 'open'])
    await add('ledger', { user_id, seq: 1, amount: '1000000', balance: '1000000', cause: `manual:${user_id}` })
})

const order = (amount = 200_000n) => {
  const address = String(chain.call('Bitcoin', 'getnewaddress'))
  return { blockchain: 'Bitcoin' as const, address, amount, maxFee: undefined }
}

/** What an operator pays out with, whose wallet has no coin. */
function withoutCoins() {
  const { context } = noted()
  const node = context.rpcOf('Bitcoin')
  const rpc: WalletRpc = async (calls) =>
    calls[0]?.method === 'listunspent' ? [{ result: [] }] : ((await node?.(calls)) ?? [])
  return { ...context, rpcOf: () => rpc }
}
const paid = () => list('withdrawals', 'user_id')

it('asks nothing twice of D1 or the node for a sweep, or to pay out what is held', async () => {
  const sweeping = noted()
  await sweepCoins(sweeping.context, order(), () => [])
  const paying = noted()
  await payOutHeld(paying.context, 'closed', order(), () => [])
  expect([askedTwice(sweeping.calls), askedTwice(paying.calls)]).toEqual([[], []])
  expect(await paid()).toEqual(['closed', 'service'])
})

describe('a sweep', () => {
  it('is refused where the wallet has no coin for it', async () => {
    await expect(sweepCoins(withoutCoins(), order(), () => [])).rejects.toMatchObject({ code: 'balance_exceeded' })
    expect(await paid()).toEqual([])
  })

  it('is refused after five rounds in which others were faster', async () => {
    const sweep = sweepCoins(beaten(noted().context), order(), () => [])
    await expect(sweep).rejects.toMatchObject({ code: 'request_changing' })
  })
})

describe('what is held for a closed account', () => {
  it('is not paid where the wallet has no coin for it', async () => {
    await expect(payOutHeld(withoutCoins(), 'closed', order(), () => [])).rejects.toMatchObject({
      ...{ code: 'balance_exceeded', details: { balance: '0' } },
    })
    expect(await paid()).toEqual([])
  })

  it('is not paid out of an open account, nor beyond its balance with the fee, nor where others were faster', async () => {
    const { context } = noted()
    await expect(payOutHeld(context, 'open', order(), () => [])).rejects.toMatchObject({ code: 'account_open' })
    await expect(payOutHeld(context, 'closed', order(1_000_000n), () => [])).rejects.toMatchObject({
      ...{ code: 'balance_exceeded', details: { balance: '0.01' } },
    })
    await expect(payOutHeld(beaten(context), 'closed', order(), () => [])).rejects.toMatchObject({
      code: 'request_changing',
    })
    expect([await paid(), await list('ledger', 'balance')]).toEqual([[], ['1000000', '1000000']])
  })
})

/** The same, in which all payments leave the chain before the first batch. */
function losing<T extends { db: D1Database }>(context: T): T {
  const lose = () => env.DB.prepare('UPDATE outputs SET block_hash = NULL, block_height = NULL').run()
  return { ...context, db: beforeBatch(context.db, lose) }
}

it('what is held is not paid out where the payment leaves the chain between the look at it and the batch', async () => {
  await add('addresses', { address: 'of-closed', user_id: 'closed' })
  await add('outputs', {
    txid: '1',
    address: 'of-closed',
    amount: '1000000',
    block_height: 1,
    block_hash: 'x',
    credited: 1,
  })
  const paying = payOutHeld(losing(noted().context), 'closed', order(), () => [])
  await expect(paying).rejects.toMatchObject({ code: 'balance_exceeded', details: { balance: '0' } })
  expect(await paid()).toEqual([])
})

describe('a balance that is changed by hand', () => {
  const change = (amount: bigint, { isBeaten = false, account = 'open' } = {}) => {
    const context = isBeaten ? beaten(noted().context) : noted().context
    const asked = { account, blockchain: 'Bitcoin' as const, amount, unbacked: true }
    return creditByHand({ ...context, record: () => [] }, asked)
  }

  it('is changed by something, and by no more than the database adds up', async () => {
    for (const amount of [0n, 2n ** 63n, -(2n ** 63n)])
      await expect(change(amount)).rejects.toMatchObject({ status: 400 })
    expect(await change(2n ** 62n)).toEqual({ account: 'open' })
  })

  it('is that of an account that there is, and never below zero', async () => {
    await expect(change(1n, { account: 'nobody' })).rejects.toMatchObject({ status: 404 })
    await expect(change(-1_000_001n)).rejects.toMatchObject({ code: 'balance_exceeded' })
    expect(await change(-1_000_000n)).toEqual({ account: 'open' })
  })

  it('stays where others were faster five times', async () => {
    await expect(change(1n, { isBeaten: true })).rejects.toMatchObject({ code: 'request_changing' })
  })
})
