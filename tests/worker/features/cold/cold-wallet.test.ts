import { afterEach, expect, it, vi } from 'vitest'
import { coldWallet } from '../../../../worker/features/cold/cold-wallet.ts'
import { contextOf } from '../../agent-contexts.ts'

afterEach(() => vi.restoreAllMocks())

/** The offline wallet of Bitcoin, at a node that answers all calls so. */
function walletOf(result: unknown) {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const calls: { id: number }[] = await new Request(input, init).json()
    return Response.json(calls.map(({ id }) => ({ id, error: null, result })))
  })
  const context = contextOf()
  const chains = { ...context.config.chains, Bitcoin: { ...context.config.chains.Bitcoin, watch: 'cold' } }
  return coldWallet({ ...context, config: { ...context.config, chains } }, { height: 9, hash: '' })
}

it('the offline wallet spends no coin whose signature changes the txid', async () => {
  const witness = `0014${'11'.repeat(20)}`
  const coins = [witness, `a914${'33'.repeat(20)}87`].map((scriptPubKey, vout) => {
    return { txid: 'ab'.repeat(32), vout, amount: 0.5, scriptPubKey, confirmations: 9 }
  })
  expect((await walletOf(coins)?.listCoins(6))?.map(({ script }) => script)).toEqual([witness])
})

it('a payout of the offline wallet is none whose PSBT is longer than a million characters', async () => {
  const order = { spends: [], address: '', script: '', amount: 1n, feeRate: 1n }
  const prepared = (length: number) => walletOf({ psbt: 'a'.repeat(length), fee: 0.1 })?.prepare(order)
  await expect(prepared(1_000_001)).rejects.toThrow('Its PSBT is too long.')
  await expect(prepared(1_000_000)).rejects.not.toThrow('too long')
})
