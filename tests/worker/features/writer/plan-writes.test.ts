import { env } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { askPayment, mergedItem, newUser } from '../payments/pay-for-items.ts'

const chain = useDevnet()

it('half a MiB is signed and kept at a time, whatever tx chains have room for', async () => {
  const { api } = await newUser()
  const id = await mergedItem(api, 'Nativecoin', noise(620_000))
  const { address, amount, confirmations } = await askPayment(api, [id], 'Nativecoin')
  chain.pay('Nativecoin', address, amount)
  chain.mine('Nativecoin', Number(confirmations))
  // The first splits a second tx chain off; each of the two has room for 18 that are so large.
  await chain.work('Nativecoin', { maxDataBytes: 24_000 })
  const { results } = await env.DB.prepare(
    'SELECT COUNT(*) AS count FROM transactions WHERE item_id = ? GROUP BY bundle ORDER BY count DESC',
  )
    .bind(id)
    .all<{ count: number }>()
  expect(results.map(({ count }) => count)).toEqual([21, 4, 1])
})

it('gives the coin of a tx chain back that has money for nothing in the queue, though nothing else can be signed', async () => {
  const { api } = await newUser()
  const id = await mergedItem(api, 'Bitcoin', noise(60))
  const { address, amount, confirmations } = await askPayment(api, [id], 'Bitcoin')
  const own = chain.callWallet('Bitcoin', 'getnewaddress')
  const txid = chain.pay('Bitcoin', own, '0.00000600')
  chain.mine('Bitcoin', 2)
  const unspent = chain.callWallet('Bitcoin', 'listunspent') as { txid: string; vout: number; scriptPubKey: string }[]
  const coin = unspent.find((one) => one.txid === txid)
  if (!coin) throw new Error('no coin')
  chain.callWallet('Bitcoin', 'lockunspent', [false, unspent.map(({ txid, vout }) => ({ txid, vout }))])
  await env.DB.prepare(
    `INSERT INTO lanes (blockchain, id, coin_txid, coin_vout, coin_value, coin_script, script, state)
     VALUES ('Bitcoin', 77, ?1, ?2, '600', ?3, ?3, 'open')`,
  )
    .bind(coin.txid, coin.vout, coin.scriptPubKey)
    .run()
  chain.pay('Bitcoin', address, amount)
  chain.mine('Bitcoin', Number(confirmations))
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  await chain.work('Bitcoin')
  expect(warn).toHaveBeenCalledWith('coins_missing', 'Bitcoin', '1 paid items wait')
  expect(await env.DB.prepare('SELECT state FROM lanes WHERE id = 77').first()).toEqual({ state: 'closed' })
  chain.callWallet('Bitcoin', 'lockunspent', [true])
  await chain.confirm('Bitcoin')
  const { results } = await env.DB.prepare('SELECT state FROM transactions WHERE item_id = ?').bind(id).all()
  expect(results).toEqual([{ state: 'sent' }])
})
