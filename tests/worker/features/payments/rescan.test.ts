import { env } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { runStep } from '../../../../worker/agent/run-step.ts'
import type { AgentContext } from '../../../../worker/chain/follower/agent-context.ts'
import { selectBalances } from '../../../../worker/features/payments/sql/ledger.ts'
import { contextOf } from '../../agent-contexts.ts'
import { useDevnet } from '../../use-devnet.ts'
import { newUser, paidItem, readAnswer, showItem } from './pay-for-items.ts'

const chain = useDevnet()

/** What ten minutes do: another search of the whole wallet may be made. */
const searchAgain = async () => await env.DB.prepare('UPDATE wallet_scans SET searched_at = 0').run()

async function work() {
  await searchAgain()
  await chain.work('Bitcoin')
}

async function deposit() {
  const { api, userId } = await newUser()
  const { address } = await readAnswer(await api.send('GET', '/payment/Bitcoin'))
  await work()
  chain.pay('Bitcoin', address, '1.5')
  chain.mine('Bitcoin', 3)
  return { address, balance: async () => (await selectBalances(env.DB, userId)).Bitcoin }
}

// The first two come before all others: a wallet that has lost transactions is searched for a day.
it('settles ordinary payments without a search of the whole wallet, and without a word in the log', async () => {
  const { api } = await newUser()
  await paidItem(chain, api, 'Bitcoin')
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  for (let payment = 0; payment < 2; payment++) {
    const id = await paidItem(chain, api, 'Bitcoin')
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted' })
  }
  expect(warned.mock.calls).toEqual([])
  warned.mockRestore()
})

it('credits what the wallet lost after it had said how many it has and before it listed them, once a rescan finds it', async () => {
  const { address, balance } = await deposit()
  await work()
  chain.pay('Bitcoin', address, '2')
  chain.mine('Bitcoin', 3)
  const height = Number(chain.call('Bitcoin', 'getblockcount'))
  chain.before('listsinceblock', () => void chain.callWallet('Bitcoin', 'devforgetpayments', [height - 2]))
  await searchAgain()
  await runStep({ ...contextOf(), numbers: chain.numbersOf('Bitcoin') })
  expect(await balance()).toBe(150_000_000n)
  chain.callWallet('Bitcoin', 'rescanblockchain', [0])
  await work()
  expect(await balance()).toBe(350_000_000n)
})

it('credits a deposit that only a rescan of the wallet found, in a block that was searched before', async () => {
  const { balance } = await deposit()
  const height = Number(chain.call('Bitcoin', 'getblockcount'))
  chain.callWallet('Bitcoin', 'devforgetpayments', [height - 2])
  await work()
  chain.mine('Bitcoin', 5)
  await work()
  expect(await balance()).toBe(0n)
  chain.callWallet('Bitcoin', 'rescanblockchain', [0])
  await work()
  expect(await balance()).toBe(150_000_000n)
})

it('is not misled by payments whose block came while the wallet was asked, as many as a rescan finds later', async () => {
  const { address, balance } = await deposit()
  const height = Number(chain.call('Bitcoin', 'getblockcount'))
  const forgotten = [chain.callWallet('Bitcoin', 'devforgetpayments', [height - 2])].flat()
  await work()
  // The block's own coin is the wallet's, too.
  const paid = forgotten.length - 1
  chain.before('getwalletinfo', () => {
    for (let i = 0; i < paid; i++) chain.pay('Bitcoin', address, '2')
    chain.mine('Bitcoin')
  })
  await work()
  chain.callWallet('Bitcoin', 'rescanblockchain', [0])
  chain.mine('Bitcoin', 3)
  await work()
  expect(await balance()).toBe(150_000_000n + BigInt(paid) * 200_000_000n)
})

it('is not misled by a reorganisation that lists known payments again, as many as a rescan finds at the same time', async () => {
  const { address, balance } = await deposit()
  const height = Number(chain.call('Bitcoin', 'getblockcount'))
  const forgotten = [chain.callWallet('Bitcoin', 'devforgetpayments', [height - 2])].flat()
  await work()
  // With the coin of its block they are as many.
  const paid = forgotten.length - 1
  for (let i = 0; i < paid; i++) chain.pay('Bitcoin', address, '2')
  chain.mine('Bitcoin')
  await work()
  chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getbestblockhash')])
  chain.callWallet('Bitcoin', 'rescanblockchain', [0])
  chain.mine('Bitcoin', 3)
  await work()
  expect(await balance()).toBe(150_000_000n + BigInt(paid) * 200_000_000n)
})

it('credits what the wallet listed and did not know when it was asked, as in the middle of a rescan', async () => {
  const { balance } = await deposit()
  chain.refuseNext('gettransaction', { code: -5, message: 'Invalid or non-wallet transaction id' })
  await work()
  await work()
  expect(await balance()).toBe(150_000_000n)
})

it('credits what the wallet listed once and no more when it was searched whole a moment later', async () => {
  const { balance } = await deposit()
  const height = Number(chain.call('Bitcoin', 'getblockcount'))
  // More than the blocks explain: the wallet is searched whole.
  chain.before('listsinceblock', () => {
    chain.before('listsinceblock', () => void chain.callWallet('Bitcoin', 'devforgetpayments', [height - 2]))
  })
  await env.DB.prepare(`UPDATE wallet_scans SET tx_count = 0 WHERE blockchain = 'Bitcoin'`).run()
  await work()
  expect(await balance()).toBe(150_000_000n)
})

it('credits what was paid before more blocks than are kept: one found by the next search, one by a rescan alone', async () => {
  const forgotten = await deposit()
  chain.callWallet('Bitcoin', 'devforgetpayments', [Number(chain.call('Bitcoin', 'getblockcount')) - 2])
  const found = await deposit()
  chain.mine('Bitcoin', 310)
  await work()
  expect([await found.balance(), await forgotten.balance()]).toEqual([150_000_000n, 0n])
  chain.callWallet('Bitcoin', 'rescanblockchain', [0])
  await work()
  expect([await found.balance(), await forgotten.balance()]).toEqual([150_000_000n, 150_000_000n])
})

it('credits what the wallet listed while it waited, though it does not list it again once a block has it', async () => {
  const { address, balance } = await deposit()
  await work()
  chain.pay('Bitcoin', address, '2')
  await work()
  chain.mine('Bitcoin', 3)
  const honest = contextOf()
  const rpc: AgentContext['rpc'] = async (calls, options) =>
    calls[0]?.method === 'listsinceblock' ? [{ result: { transactions: [] } }] : await honest.rpc(calls, options)
  await runStep({ ...honest, rpc, numbers: chain.numbersOf('Bitcoin') })
  expect(await balance()).toBe(350_000_000n)
})

it('waits while the wallet is rescanning, and decides nothing', async () => {
  const { balance } = await deposit()
  chain.callWallet('Bitcoin', 'devsetscanning', [60])
  await work()
  expect(await balance()).toBe(0n)
  chain.callWallet('Bitcoin', 'devsetscanning', [0])
  await work()
  expect(await balance()).toBe(150_000_000n)
})
