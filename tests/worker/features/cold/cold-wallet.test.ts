import { expect, it, vi } from 'vitest'
import { coldWallet } from '../../../../worker/features/cold/cold-wallet.ts'
import { contextOf } from '../../agent-contexts.ts'

it('the offline wallet spends no coin whose signature changes the txid', async () => {
  const context = contextOf()
  const chains = { ...context.config.chains, Bitcoin: { ...context.config.chains.Bitcoin, watch: 'cold' } }
  const witness = `0014${'11'.repeat(20)}`
  const coins = [witness, `a914${'33'.repeat(20)}87`].map((scriptPubKey, vout) => {
    return { txid: 'ab'.repeat(32), vout, amount: 0.5, scriptPubKey, confirmations: 9 }
  })
  const node = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const calls: { id: number }[] = await new Request(input, init).json()
    return Response.json(calls.map(({ id }) => ({ id, error: null, result: coins })))
  })
  const wallet = coldWallet({ ...context, config: { ...context.config, chains } }, { height: 9, hash: '' })
  expect((await wallet?.listCoins(6))?.map(({ script }) => script)).toEqual([witness])
  node.mockRestore()
})
