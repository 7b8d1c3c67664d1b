import { expect, it, vi } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { labelOldAddresses } from '../../../../worker/features/payments/label-addresses.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, read } from '../../rows.ts'

it('an address of before gets its label, and one that the node refuses is said once', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  await clear('addresses')
  await add('addresses', ...['taken', 'refused'].map((address) => ({ address, kind: 'request' })))
  const asked: unknown[] = []
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ params: [address] }) => {
      asked.push(address)
      return address === 'refused' ? { error: { code: -4, message: '' } } : { result: null }
    })
  for (let block = 0; block < 2; block++) await labelOldAddresses({ ...contextOf('Bitcoin'), rpc })
  expect(asked.sort()).toEqual(['refused', 'taken'])
  expect(await read('addresses', 'address', 'labelled')).toEqual({ refused: 2, taken: 1 })
  expect(warn.mock.calls).toEqual([['addresses_not_labelled', 'Bitcoin', 'refused']])
})
