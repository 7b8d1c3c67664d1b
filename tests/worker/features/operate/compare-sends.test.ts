import { env } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { compareSends } from '../../../../worker/features/operate/compare-sends.ts'
import { add, count } from '../../rows.ts'

const SENDS = 1_001

/** A wallet that so many transactions have left since any block. */
const rpc: WalletRpc = async () => {
  const transactions = Array.from({ length: SENDS }, (_, index) => ({
    ...{ category: 'send', amount: '-0.5', confirmations: '3', txid: index.toString(16).padStart(64, '0') },
  }))
  return [{ result: { transactions } }]
}

it('searches from the same block again where more left the wallet than is taken in at a time', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  await add('blocks', { hash: 'first', height: 5 })
  await compareSends(env.DB, rpc, 'Bitcoin', 1)
  await env.DB.prepare('DELETE FROM sends').run()
  await add('blocks', { hash: 'second', height: 6 })
  const scanned = async () => await env.DB.prepare('SELECT height FROM send_scans').first()
  await compareSends(env.DB, rpc, 'Bitcoin', 2)
  expect([await count('sends'), await scanned()]).toEqual([1_000, { height: 5 }])
  await compareSends(env.DB, rpc, 'Bitcoin', 3)
  expect([await count('sends'), await scanned()]).toEqual([SENDS, { height: 6 }])
  error.mockRestore()
})

it('searches the next time from the block that was the highest when it began, not from one that came meanwhile', async () => {
  await env.DB.batch(['sends', 'send_scans', 'blocks'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
  await add('blocks', { hash: 'first', height: 5 })
  const listing: WalletRpc = async (calls) => {
    if (calls[0]?.method === 'getwalletinfo') return [{ result: {} }]
    await add('blocks', { hash: `later ${await count('blocks')}`, height: 5 + (await count('blocks')) })
    return [{ result: { transactions: [] } }]
  }
  const scanned = async () => await env.DB.prepare('SELECT height FROM send_scans').first('height')
  await compareSends(env.DB, listing, 'Bitcoin', 1)
  expect(await scanned()).toBe(5)
  await compareSends(env.DB, listing, 'Bitcoin', 2)
  expect(await scanned()).toBe(6)
})

it('knows transactions of written items that are older than its last search, where the node has lost the block of that', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  await env.DB.batch(['sends', 'send_scans', 'blocks'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
  await add('blocks', { hash: 'oldest', height: 3 }, { hash: 'lost', height: 6 })
  const txid = 'a'.repeat(64)
  const setUpAgain: WalletRpc = async ([call]) => {
    if (call?.params[0] === 'lost') return [{ error: { code: -5, message: 'Block not found' } }]
    return [{ result: { transactions: [{ category: 'send', amount: '-0.5', confirmations: '3', txid }] } }]
  }
  await compareSends(env.DB, async () => [{ result: { transactions: [] } }], 'Bitcoin', 1)
  await add('items', { id: 'written' })
  await add('payment_requests', { id: 'request' })
  await add('writes', { item_id: 'written', state: 'done', folded_height: 4, index_txid: txid })
  await compareSends(env.DB, setUpAgain, 'Bitcoin', 2)
  expect(await count('sends')).toBe(0)
  error.mockRestore()
})

it('lists all that ever left a wallet that was searched whole since: a rescan had found what it had lost', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  const tables = ['sends', 'send_scans', 'blocks', 'wallet_scans']
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
  await add('blocks', { hash: 'tip', height: 6 })
  const txid = 'b'.repeat(64)
  const found: WalletRpc = async ([call]) => {
    const sent = { category: 'send', amount: '-0.5', confirmations: '3', txid }
    return [{ result: { transactions: call?.params.includes('tip') ? [] : [sent] } }]
  }
  for (const now of [1, 2]) await compareSends(env.DB, found, 'Bitcoin', now)
  expect(await count('sends')).toBe(0)
  await add('wallet_scans', { blockchain: 'Bitcoin', hash: 'tip', height: 6, searched_at: 3 })
  for (const now of [4, 5]) await compareSends(env.DB, found, 'Bitcoin', now)
  expect(await count('sends')).toBe(1)
  error.mockRestore()
})

it('knows the transactions of all items that were written in one block', async () => {
  await env.DB.batch(['sends', 'send_scans', 'blocks', 'writes'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
  await add('blocks', { hash: 'block', height: 3 })
  await compareSends(env.DB, async () => [{ result: { transactions: [] } }], 'Bitcoin', 1)
  const txids = Array.from({ length: 7 }, (_, index) => String(index).repeat(64))
  await add('payment_requests', { id: 'of all' })
  for (const txid of txids) {
    await add('items', { id: `item ${txid}` })
    await add('writes', {
      item_id: `item ${txid}`,
      request_id: 'of all',
      state: 'done',
      folded_height: 4,
      index_txid: txid,
    })
  }
  const transactions = txids.map((txid) => ({ category: 'send', amount: '-0.5', confirmations: '3', txid }))
  await compareSends(env.DB, async () => [{ result: { transactions } }], 'Bitcoin', 2)
  expect(await count('sends')).toBe(0)
})

it('fails where the wallet is of no use, as one that is not loaded: it would list too little', async () => {
  const unusable: WalletRpc = async (calls) =>
    calls.map(({ method }) =>
      method === 'getwalletinfo'
        ? { error: { code: -18, message: 'Requested wallet does not exist or is not loaded' } }
        : { result: { transactions: [] } },
    )
  await expect(compareSends(env.DB, unusable, 'Bitcoin', 9)).rejects.toThrow('is not loaded')
})
