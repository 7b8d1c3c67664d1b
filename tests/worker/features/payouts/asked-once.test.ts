import { describe, expect, it } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { createWithdrawal } from '../../../../worker/features/payouts/ask/create-withdrawal.ts'
import { askedTwice, beaten, noted } from '../../noted-calls.ts'
import { add } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { newUser } from '../payments/pay-for-items.ts'

const chain = useDevnet()

async function order() {
  const { userId } = await newUser()
  await add('ledger', { user_id: userId, seq: 1, amount: '1000000', balance: '1000000', cause: `manual:${userId}` })
  const address = String(chain.call('Bitcoin', 'getnewaddress'))
  return { userId, order: { blockchain: 'Bitcoin' as const, address, amount: 200_000n, maxFee: undefined } }
}

describe('a withdrawal', () => {
  it('asks nothing twice of D1 or the node', async () => {
    const { userId, order: asked } = await order()
    const { context, calls } = noted()
    expect(JSON.parse(await createWithdrawal(context, userId, asked))).toMatchObject({ state: 'waiting' })
    expect(askedTwice(calls)).toEqual([])
    for (const question of ['"validateaddress"', '"estimatesmartfee","params":[2]']) {
      expect(calls.filter((call) => call.includes(question))).toHaveLength(1)
    }
  })

  it('is refused after five rounds in which other money of the account was faster', async () => {
    const { userId, order: asked } = await order()
    const { context, calls } = noted()
    await expect(createWithdrawal(beaten(context), userId, asked)).rejects.toMatchObject({ code: 'busy' })
    expect(calls.filter((call) => call.includes('ORDER BY seq DESC LIMIT 1'))).toHaveLength(1 + 5)
  })

  it('is refused where the wallet has no coin for it', async () => {
    const { userId, order: asked } = await order()
    const { context } = noted()
    const node = context.rpcOf('Bitcoin')
    const rpc: WalletRpc = async (calls) =>
      calls[0]?.method === 'listunspent' ? [{ result: [] }] : ((await node?.(calls)) ?? [])
    await expect(createWithdrawal({ ...context, rpcOf: () => rpc }, userId, asked)).rejects.toMatchObject({
      code: 'payment_unavailable',
    })
  })

  it("is refused while its chain's agent has ended no step for five minutes", async () => {
    const { userId, order: asked } = await order()
    const { context } = noted()
    await add('chain_states', { blockchain: 'Bitcoin', stepped_at: context.now - 300_000 })
    await expect(createWithdrawal(context, userId, asked)).rejects.toMatchObject({
      ...{ code: 'payment_unavailable', cause: "the agent can't work: it has ended no step for 300 s" },
    })
  })
})
