import { expect, it, vi } from 'vitest'
import { add, firstRow, runSql } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { newUser, pricedItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

it('half a MiB is signed and kept at a time, whatever tx chains have room for', async () => {
  const { api } = await newUser()
  const { id, address, amount, confirmations } = await pricedItem(api, 'Nativecoin', noise(620_000))
  chain.pay('Nativecoin', address, amount)
  chain.mine('Nativecoin', Number(confirmations))
  // The first splits a second tx chain off; each of the two has room for 18 that are so large.
  await chain.work('Nativecoin', { maxDataBytes: 24_000 })
  const results = await runSql<{ count: number }>(
    'SELECT COUNT(*) AS count FROM transactions WHERE item_id = ? GROUP BY bundle ORDER BY count DESC',
    id,
  )
  expect(results.map(({ count }) => count)).toEqual([21, 4, 1])
})

it('gives the coin of a tx chain back that has money for nothing in the queue, though nothing else can be signed', async () => {
  const { api } = await newUser()
  const { id, address, amount, confirmations } = await pricedItem(api, 'Bitcoin', noise(60))
  const own = chain.callWallet('Bitcoin', 'getnewaddress')
  const txid = chain.pay('Bitcoin', own, '0.00000600')
  chain.mine('Bitcoin', 2)
  const unspent = chain.callWallet('Bitcoin', 'listunspent') as { txid: string; vout: number; scriptPubKey: string }[]
  const coin = unspent.find((one) => one.txid === txid)
  if (!coin) throw new Error('no coin')
  chain.callWallet('Bitcoin', 'lockunspent', [false, unspent.map(({ txid, vout }) => ({ txid, vout }))])
  const { scriptPubKey: script } = coin
  const poor = { coin_txid: coin.txid, coin_vout: coin.vout, coin_value: '600', coin_script: script, script }
  await add('tx_chains', { id: 77, ...poor })
  chain.pay('Bitcoin', address, amount)
  chain.mine('Bitcoin', Number(confirmations))
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  await chain.work('Bitcoin')
  expect(warn).toHaveBeenCalledWith('coins_missing', 'Bitcoin', '1 paid items wait')
  expect(await firstRow('SELECT state FROM tx_chains WHERE id = 77')).toEqual({ state: 'closed' })
  chain.callWallet('Bitcoin', 'lockunspent', [true])
  await chain.confirm('Bitcoin')
  const results = await runSql('SELECT state FROM transactions WHERE item_id = ?', id)
  expect(results).toEqual([{ state: 'sent' }])
})
