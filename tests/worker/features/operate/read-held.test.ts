import { expect, it } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { readHeld } from '../../../../worker/features/operate/read-held.ts'

it('what is held is what the wallet has, and, to the last base unit, the coins of an address whose key is offline', async () => {
  const coin = { vout: '0', scriptPubKey: '51', address: 'offline', spendable: false }
  const coins = [
    { ...coin, txid: 'a', amount: '0.00000004', confirmations: '1' },
    { ...coin, txid: 'b', amount: '0.00000002', confirmations: '90' },
    { ...coin, txid: 'c', amount: '0.00000001', confirmations: '0' },
  ]
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method, params: [least] }) => {
      if (method !== 'listunspent') return { result: '0.00000008' }
      return { result: coins.filter(({ confirmations }) => Number(confirmations) >= Number(least)) }
    })
  const chain = { rpc: [], watch: undefined, coldAddress: undefined }
  expect(await readHeld(rpc, chain)).toBe(8n)
  expect(await readHeld(rpc, { ...chain, coldAddress: 'offline' })).toBe(14n)
})
