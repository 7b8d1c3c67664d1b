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
  const listing: WalletRpc = async () => {
    await add('blocks', { hash: `later ${await count('blocks')}`, height: 5 + (await count('blocks')) })
    return [{ result: { transactions: [] } }]
  }
  const scanned = async () => await env.DB.prepare('SELECT height FROM send_scans').first('height')
  await compareSends(env.DB, listing, 'Bitcoin', 1)
  expect(await scanned()).toBe(5)
  await compareSends(env.DB, listing, 'Bitcoin', 2)
  expect(await scanned()).toBe(6)
})
