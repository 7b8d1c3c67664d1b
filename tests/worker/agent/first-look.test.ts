import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import type { Blockchain } from '../../../protocol/chains.ts'
import { followChain } from '../../../worker/agent/follow-chain.ts'
import type { AgentContext } from '../../../worker/chain/follower/agent-context.ts'
import { checkNetwork, findNetworkProblem } from '../../../worker/chain/follower/check-network.ts'
import { contextOf } from '../agent-contexts.ts'
import { add, list, read } from '../rows.ts'
import { useDevnet } from '../use-devnet.ts'

const chain = useDevnet()

const heightOf = (blockchain: Blockchain) => Number(chain.call(blockchain, 'getblockcount'))
const heights = async () => (await list('blocks', 'height')).map(Number).sort((a, b) => a - b)

it('the network of a node is that of its block 0', async () => {
  const { rpc } = contextOf('Bitcoin')
  const genesis = String(chain.call('Bitcoin', 'getblockhash', [0]))
  expect([await checkNetwork(rpc, undefined), await checkNetwork(rpc, genesis)]).toEqual([genesis, genesis])
  await expect(checkNetwork(rpc, 'f'.repeat(64))).rejects.toThrow(`its block 0 is ${genesis}`)
  const empty: AgentContext['rpc'] = async (calls) =>
    calls.map(() => ({ error: { code: -8, message: 'out of range' } }))
  await expect(checkNetwork(empty, undefined)).rejects.toThrow()
  expect(await findNetworkProblem(rpc, genesis)).toBeUndefined()
  expect(await findNetworkProblem(rpc, 'f'.repeat(64))).toContain('The node is on another network')
  // That it says nothing is another problem.
  await expect(findNetworkProblem(empty, genesis)).rejects.toThrow()
})

it('a chain is followed at first from 144 blocks ago, or from its first block', async () => {
  chain.mine('Dogecoin', Math.max(1, 145 - heightOf('Dogecoin')))
  await followChain(contextOf('Dogecoin'))
  expect((await heights())[0]).toBe(heightOf('Dogecoin') - 144)
  await env.DB.batch([env.DB.prepare('DELETE FROM wallet_scans'), env.DB.prepare('DELETE FROM blocks')])
  // As of a chain of some blocks only.
  const best = { blocks: '3', headers: '3', bestblockhash: chain.call('Dogecoin', 'getblockhash', [3]) }
  const young = contextOf('Dogecoin')
  const rpc: AgentContext['rpc'] = async (calls) =>
    (await young.rpc(calls)).map((outcome, index) =>
      calls[index]?.method === 'getblockchaininfo' && 'result' in outcome
        ? { result: { ...Object(outcome.result), ...best } }
        : outcome,
    )
  await followChain({ ...young, rpc })
  expect(await heights()).toEqual([0, 1, 2, 3])
})

it('a chain that two steps look at for the first time is begun by one of them, and the other decides nothing', async () => {
  const context = contextOf('Nativecoin')
  const begun = { blockchain: 'Nativecoin', height: 1, hash: 'other' }
  let done = false
  const rpc: AgentContext['rpc'] = async (calls) => {
    if (!done && calls[0]?.method === 'getblockhash') {
      done = true
      await add('blocks', begun)
    }
    return await context.rpc(calls)
  }
  expect(await followChain({ ...context, rpc })).toEqual({ state: 'unsettled' })
  expect(await read('blocks', 'blockchain', 'hash')).toMatchObject({ Nativecoin: 'other' })
  expect((await read('wallet_scans', 'blockchain', 'height')).Nativecoin).toBeUndefined()
})

it('blocks are read, twenty at a time, only while a transaction of the service may be in them', async () => {
  const context = contextOf('Bitcoin')
  const asked: string[] = []
  const rpc: AgentContext['rpc'] = async (calls) => {
    asked.push(...calls.map(({ method }) => method))
    return await context.rpc(calls)
  }
  const follow = async () => (await followChain({ ...context, rpc })).state
  for (let steps = 0; steps < 5 && (await follow()) !== 'current'; steps++);
  expect(asked).not.toContain('getblock')
  const before = heightOf('Bitcoin')
  const txid = chain.pay('Bitcoin', chain.call('Bitcoin', 'getnewaddress'), '0.1')
  await add('tx_chains', { id: 1 })
  await add('transactions', { txid, tx_chain: 1 })
  chain.mine('Bitcoin', 21)
  expect([await follow(), Math.max(...(await heights()))]).toEqual(['more', before + 20])
  expect(asked.filter((method) => method === 'getblock')).toHaveLength(20)
  expect(await read('transactions', 'txid', "state || ' ' || block_height")).toEqual({ [txid]: `mined ${before + 1}` })
  expect([await follow(), asked.filter((method) => method === 'getblock').length]).toEqual(['current', 20])
})
