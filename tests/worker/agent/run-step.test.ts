import { env } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { runStep } from '../../../worker/agent/run-step.ts'
import type { AgentContext } from '../../../worker/chain/follower/agent-context.ts'
import { selectChainState } from '../../../worker/chain/follower/chain-states.ts'
import { selectNotedAgent } from '../../../worker/chain/follower/stops.ts'
import { operateHealth } from '../../../worker/features/operate/operate-health.ts'
import { contextOf } from '../agent-contexts.ts'
import { askPayment, mergedItem, newUser, showItem } from '../features/payments/pay-for-items.ts'
import { add, clear, count, runSql } from '../rows.ts'
import { useDevnet } from '../use-devnet.ts'

const chain = useDevnet()

it('a step pauses an item whose payment has left the chain before it would write any of it', async () => {
  const { api } = await newUser()
  const id = await mergedItem(api, 'Bitcoin')
  const { address, amount } = await askPayment(api, [id], 'Bitcoin')
  const txid = chain.pay('Bitcoin', address, amount)
  chain.mine('Bitcoin')
  const holder = chain.call('Bitcoin', 'getbestblockhash')
  await add('stops', { blockchain: 'Bitcoin', part: 'writing', cause: 'hand', reason: 'a test', since: 0 })
  await chain.confirm('Bitcoin')
  expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted' })
  chain.call('Bitcoin', 'invalidateblock', [holder])
  chain.evict('Bitcoin', txid)
  await clear('stops')
  await chain.confirm('Bitcoin', 3)
  expect([(await showItem(api, id)).status, await count('transactions')]).toEqual(['409 Conflict', 0])
})

it('a step looks once for each block whether coins are to be gathered, and not where writing is stopped', async () => {
  await clear('stops', 'writes', 'transactions')
  const context = contextOf()
  const looks = async () => {
    const asked: string[] = []
    const rpc: AgentContext['rpc'] = async (calls, options) => {
      asked.push(...calls.map(({ method }) => method))
      return await context.rpc(calls, options)
    }
    await runStep({ ...context, rpc, numbers: chain.numbersOf('Bitcoin') })
    return asked.includes('listunspent')
  }
  chain.mine('Bitcoin')
  expect([await looks(), await looks()]).toEqual([true, false])
  await add('stops', { blockchain: 'Bitcoin', part: 'writing', cause: 'hand', reason: 'a test', since: 0 })
  chain.mine('Bitcoin')
  expect(await looks()).toBe(false)
  await clear('stops')
})

it('a step takes a restore for settled only once all deposits since are credited: before, what was lost would be a loss', async () => {
  await clear('stops')
  const context = contextOf()
  const numbers = { ...chain.numbersOf('Bitcoin'), read: async () => 1_000_000, write: async () => {} }
  const step = async () => {
    // Addresses that the wallet does not know have it searched whole.
    await runSql('UPDATE wallet_scans SET searched_at = 0')
    await runStep({ ...context, numbers })
    return await selectNotedAgent(env.DB, 'Bitcoin')
  }
  chain.mine('Bitcoin')
  // More accounts than one step credits.
  const users = Array.from({ length: 21 }, (_, index) => `user-${index}`)
  await add('users', ...users.map((id) => ({ id })))
  await add('addresses', ...users.map((id) => ({ address: `to ${id}`, user_id: id, script: id })))
  const deep = { amount: '100000000', block_height: 1, block_hash: 'x' }
  await add('outputs', ...users.map((id) => ({ ...deep, txid: id, address: `to ${id}` })))
  const credited = () => count("ledger WHERE user_id LIKE 'user-%'")
  expect([await step(), await credited()]).toEqual([undefined, 20])
  expect([await step(), await credited()]).toMatchObject([{ number: 1_000_000 }, 21])
})

it('a step of a node that is behind says at which block it is and at which we are, and logs it once', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  chain.mine('Bitcoin', 2)
  await chain.work('Bitcoin')
  const top = Number(chain.call('Bitcoin', 'getblockcount'))
  const below = chain.call('Bitcoin', 'getblockhash', [top - 1])
  chain.call('Bitcoin', 'invalidateblock', [below])
  await chain.work('Bitcoin')
  await chain.work('Bitcoin')
  const problem = `its node is at ${top - 2}, we are at ${top}`
  expect(JSON.parse(await operateHealth(env, Date.now())).chains.Bitcoin).toMatchObject({
    reason: problem,
    remedy: expect.stringContaining('caught up'),
  })
  expect(warn.mock.calls).toEqual([['node_not_followed', 'Bitcoin', problem]])
  chain.call('Bitcoin', 'reconsiderblock', [below])
  await chain.work('Bitcoin')
  expect((await selectChainState(env.DB, 'Bitcoin')).problem).toBeUndefined()
  warn.mockRestore()
})
