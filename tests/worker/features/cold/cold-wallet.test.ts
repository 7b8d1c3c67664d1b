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

it('a payout of the offline wallet is none whose PSBT is longer than a million characters', async () => {
  const context = contextOf()
  const chains = { ...context.config.chains, Bitcoin: { ...context.config.chains.Bitcoin, watch: 'cold' } }
  const wallet = coldWallet({ ...context, config: { ...context.config, chains } }, { height: 9, hash: '' })
  const prepare = async (length: number) => {
    const node = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const calls: { id: number }[] = await new Request(input, init).json()
      const result = { psbt: 'a'.repeat(length), fee: 0.1 }
      return Response.json(calls.map(({ id }) => ({ id, error: null, result })))
    })
    try {
      return await wallet?.prepare({ spends: [], address: '', script: '', amount: 1n, feeRate: 1n })
    } catch (error) {
      return String(error)
    } finally {
      node.mockRestore()
    }
  }
  expect(await prepare(1_000_001)).toBe('Error: Its PSBT is too long.')
  expect(await prepare(1_000_000)).not.toContain('too long')
})
