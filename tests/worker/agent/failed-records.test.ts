import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runStep } from '../../../worker/agent/run-step.ts'
import type { AgentContext, StepContext } from '../../../worker/chain/follower/agent-context.ts'
import { selectTip } from '../../../worker/chain/follower/blocks.ts'
import { selectChainState, upsertProblem } from '../../../worker/chain/follower/chain-states.ts'
import { selectFailedRecords } from '../../../worker/chain/follower/failed-records.ts'
import { findAgentProblem } from '../../../worker/chain/follower/find-agent-problem.ts'
import type { RpcCall } from '../../../worker/chain/rpc/rpc-transport.ts'
import { checkHealth } from '../../../worker/features/health/check-health.ts'
import { selectBalances } from '../../../worker/features/payments/sql/ledger.ts'
import { upsertOutputsStatements } from '../../../worker/features/payments/sql/outputs.ts'
import { insertAddressStatement } from '../../../worker/features/transactions/sql/addresses.ts'
import { countStatements } from '../../../worker/platform/d1/count-statements.ts'
import { contextOf } from '../agent-contexts.ts'
import {
  askPayment,
  mergedItem,
  newUser,
  pricedItem,
  readAnswer,
  showItem,
} from '../features/payments/pay-for-items.ts'
import { add, addMany, firstRow, runSql } from '../rows.ts'
import { useDevnet } from '../use-devnet.ts'

const chain = useDevnet()
beforeEach(() => {
  chain.setAhead(0)
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => log.mockRestore()
})

/** The agent's context, with a node that answers some calls otherwise. */
function context(lie: (call: RpcCall, result: unknown) => unknown = (_, result) => result): StepContext {
  const honest = contextOf()
  const rpc: AgentContext['rpc'] = async (calls) => {
    const outcomes = await honest.rpc(calls)
    return outcomes.map((outcome, index) => {
      const call = calls[index]
      return call && 'result' in outcome ? { result: lie(call, outcome.result) } : outcome
    })
  }
  return { ...honest, rpc, numbers: chain.numbersOf('Bitcoin'), now: Date.now() }
}

async function step(changed: StepContext): Promise<void> {
  for (let i = 0; i < 20 && (await runStep(changed)).next === 'now'; i++);
}

describe('a record that cannot be processed', () => {
  it('is recorded as failed with its reason; others go on, and it is taken in once it can be', async () => {
    const [poor, rich] = [await newUser(), await newUser()]
    const paid = async ({ api }: typeof poor) => {
      const { id, address, amount } = await pricedItem(api, 'Bitcoin')
      return { id, txid: chain.pay('Bitcoin', address, amount) }
    }
    const [bad, good] = [await paid(poor), await paid(rich)]
    chain.mine('Bitcoin', 2)
    const unreadable = context(({ method, params }, result) =>
      method === 'gettransaction' && params[0] === bad.txid ? { ...Object(result), hex: '00' } : result,
    )
    await step(unreadable)
    expect(await showItem(rich.api, good.id)).toMatchObject({ status: '202 Accepted' })
    expect(await showItem(poor.api, bad.id)).toMatchObject({ status: '402 Payment Required' })
    expect(await selectFailedRecords(env.DB, 'Bitcoin')).toMatchObject([{ kind: 'payment', id: bad.txid, tries: 1 }])
    expect(await checkHealth(env)).toMatchObject({ chains: { Bitcoin: { setAside: 1 } } })
    chain.setAhead(3_000)
    await chain.work('Bitcoin')
    expect(await showItem(poor.api, bad.id)).toMatchObject({ status: '202 Accepted' })
    expect(await selectFailedRecords(env.DB, 'Bitcoin')).toEqual([])
  })

  it('counts as early as the wallet met it, however late it is read: its request waits for it', async () => {
    const { api } = await newUser()
    const { id, address, amount } = await pricedItem(api, 'Bitcoin')
    const txid = chain.pay('Bitcoin', address, amount)
    chain.mine('Bitcoin', 2)
    const unreadable = context(({ method, params }, result) =>
      method === 'gettransaction' && params[0] === txid ? { ...Object(result), hex: '00' } : result,
    )
    const afterExpiry = 3_700_000
    await step(unreadable)
    await step({ ...unreadable, now: unreadable.now + afterExpiry })
    expect(await askPayment(api, [id], 'Bitcoin')).toMatchObject({ status: 402, address, amount })
    chain.setAhead(afterExpiry + 60_000)
    await chain.work('Bitcoin')
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted' })
  })

  it('is no reason to stop: nine thousand outputs of dust are credited, some at each step', async () => {
    const { userId } = await newUser()
    await chain.work('Bitcoin')
    const tip = await selectTip(env.DB, 'Bitcoin')
    const address = { blockchain: 'Bitcoin' as const, address: 'dust', script: '00', userId, kind: 'deposit' as const }
    const outputs = Array.from({ length: 9_000 }, (_, vout) => ({
      txid: 'd'.repeat(64),
      vout,
      address: 'dust',
      amount: 600n,
      coinbase: false,
      seenAt: 0,
      inMempool: false,
      blockHash: tip?.hash,
      blockHeight: tip?.height,
    }))
    await env.DB.batch([
      insertAddressStatement(env.DB, address, 0),
      ...upsertOutputsStatements(env.DB, 'Bitcoin', outputs),
    ])
    chain.mine('Bitcoin', 1)
    for (let i = 0; i < 18; i++) await chain.work('Bitcoin')
    expect((await selectBalances(env.DB, userId)).Bitcoin).toBe(9_000n * 600n)
    expect(await selectFailedRecords(env.DB, 'Bitcoin')).toEqual([])
  })
})

it('twenty thousand requests that expired at once are no more than a step may ask the database about', async () => {
  const id = "printf('%08x-many', n * 200000)"
  await addMany('payment_requests', 20_000, { id, user_id: "'many'", item_set: 'n', expires_at: '1' })
  const { db, count } = countStatements(env.DB)
  await runStep({ ...context(), db })
  expect(count()).toBeLessThan(500)
  const left = await firstRow<{ n: number }>(
    `SELECT COUNT(*) AS n FROM payment_requests WHERE user_id = 'many' AND state = 'open'`,
  )
  expect(left?.n).toBeLessThan(20_000)
  await runSql(`DELETE FROM payment_requests WHERE user_id = 'many'`)
})

it('a step deletes the signed bytes of what was given up so long ago that no block can hold it', async () => {
  const bundle = 'writer/Bitcoin/given-up'
  await env.BUCKET.put(bundle, '')
  await add('tx_chains', { id: 9_000, state: 'closed' })
  await add('transactions', { txid: 'given up', tx_chain: 9_000, state: 'dead', dead: 1, bundle })
  await add('signed_bundles', { bundle, height: -1_000_000 })
  await chain.work('Bitcoin')
  expect(await env.BUCKET.head(bundle)).toBeNull()
})

describe('an agent whose steps fail', () => {
  it('refuses a node of another network, and counts nothing that it says', async () => {
    await chain.work('Bitcoin')
    const other = context(({ method, params }, result) =>
      method === 'getblockhash' && params[0] === 0 ? 'f'.repeat(64) : result,
    )
    await expect(runStep(other)).rejects.toThrow('another network')
    const { genesis } = await selectChainState(env.DB, 'Bitcoin')
    expect(genesis).toBe(chain.call('Bitcoin', 'getblockhash', [0]))
    const chains = { ...other.config.chains, Bitcoin: { ...other.config.chains.Bitcoin, genesis: 'f'.repeat(64) } }
    await expect(runStep({ ...context(), config: { ...other.config, chains } })).rejects.toThrow('another network')
  })

  it('sells nothing and is down in health while somebody waits for it, until a step ends well', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    await askPayment(api, [id], 'Bitcoin')
    await upsertProblem(env.DB, 'Bitcoin', 'The node shares none of our blocks.', Date.now() - 59_999)
    expect(await readAnswer(await api.send('GET', '/payment/Bitcoin'))).toMatchObject({ status: 200 })
    await runSql(`UPDATE chain_states SET problem_since = ? WHERE blockchain = 'Bitcoin'`, Date.now() - 60_000)
    expect(await readAnswer(await api.send('GET', '/payment/Bitcoin'))).toMatchObject({ status: 503 })
    await runSql(`UPDATE chain_states SET problem_since = ? WHERE blockchain = 'Bitcoin'`, Date.now() - 120_000)
    expect(await checkHealth(env)).toMatchObject({ status: 'down', chains: { Bitcoin: { status: 'down' } } })
    expect(await readAnswer(await api.send('GET', '/payment/Bitcoin'))).toMatchObject({ status: 503 })
    await chain.work('Bitcoin')
    expect(await checkHealth(env)).toMatchObject({ status: 'ok', chains: { Bitcoin: { step: 0 } } })
    expect(await readAnswer(await api.send('GET', '/payment/Bitcoin'))).toMatchObject({ status: 200 })
  })

  it('and one that ends none, as while its wallet is searched for hours, sells nothing from the fifth minute on', async () => {
    const { api } = await newUser()
    await chain.work('Bitcoin')
    const stepped = (ago: number) =>
      runSql(`UPDATE chain_states SET stepped_at = ? WHERE blockchain = 'Bitcoin'`, Date.now() - ago)
    await stepped(299_999)
    expect(await readAnswer(await api.send('GET', '/payment/Bitcoin'))).toMatchObject({ status: 200 })
    await stepped(300_000)
    expect(await readAnswer(await api.send('GET', '/payment/Bitcoin'))).toMatchObject({ status: 503 })
    expect(await checkHealth(env)).toMatchObject({ chains: { Bitcoin: { payment: 'down' } } })
    expect(findAgentProblem(await selectChainState(env.DB, 'Bitcoin'), Date.now())).toContain('no step for 300 s')
    await chain.work('Bitcoin')
    expect(await readAnswer(await api.send('GET', '/payment/Bitcoin'))).toMatchObject({ status: 200 })
  })
})
