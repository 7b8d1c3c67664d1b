import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Blockchain, CHAINS } from '../../../../protocol/chains.ts'
import { runStep } from '../../../../worker/agent/run-step.ts'
import { selectFailedRecords } from '../../../../worker/chain/follower/failed-records.ts'
import { contextOf } from '../../agent-contexts.ts'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { askPayment, mergedItem, newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
const ASKED = ['sendrawtransaction', 'submitpackage', 'signrawtransaction', 'signrawtransactionwithwallet']

beforeEach(() => {
  const logs = (['warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
  return () => {
    for (const log of logs) log.mockRestore()
  }
})
afterEach(() => {
  chain.setAhead(0)
  chain.hideFloor(false)
})

/** What the agent has the node send or sign while it works, each with how often. */
async function asked(blockchain: Blockchain): Promise<Record<string, number>> {
  const spy = vi.spyOn(chain.devnet, 'handle')
  await chain.work(blockchain)
  const calls = spy.mock.calls.flatMap(([, text]): { method: string }[] => [JSON.parse(text)].flat())
  spy.mockRestore()
  const counts = ASKED.map((method) => [method, calls.filter((call) => call.method === method).length] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

/** A block that holds nothing of the mempool. */
const mineEmpty = (blockchain: Blockchain) => chain.devnet.node(blockchain).mine(Uint8Array.of(0x51), { empty: true })

describe('what the node does not take', () => {
  it('is asked of it once for each block, and so is what would pay for it, while its mempool is full', async () => {
    // It knows no packages.
    const node = chain.devnet.node('Dogecoin')
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Dogecoin', noise(60))
    const seen: unknown[] = []
    for (let block = 0; block < 7; block++) {
      mineEmpty('Dogecoin')
      node.evict([...node.mempool.entries.keys()])
      node.mempool.minFeeRate = 10n * CHAINS.Dogecoin.fallbackFeeRate
      const { sendrawtransaction = 0 } = await asked('Dogecoin')
      seen.push(sendrawtransaction)
      chain.setAhead(block * 600_000)
      await chain.work('Dogecoin')
      expect([block, await asked('Dogecoin')]).toEqual([block, {}])
    }
    // From the sixth block on there is one that would pay for both.
    expect(seen).toEqual([1, 1, 1, 1, 1, 2, 2])
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted', message: /fees too low now/ })
    node.mempool.minFeeRate = 0n
    await chain.mineAndWork('Dogecoin', 8)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
    expect(await selectFailedRecords(env.DB, 'Dogecoin')).toEqual([])
  })

  it('tells payer and operator where that is what would pay more for a tx chain, until the item is stored', async () => {
    const node = chain.devnet.node('Dogecoin')
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Dogecoin', noise(60))
    // A node that takes much less than it says.
    node.reconfigure({ relayFeeRate: 10n * CHAINS.Dogecoin.fallbackFeeRate })
    chain.hideFloor(true)
    for (let block = 0; block < 5; block++) {
      mineEmpty('Dogecoin')
      expect(await asked('Dogecoin')).toEqual({})
    }
    for (let block = 0; block < 2; block++) {
      mineEmpty('Dogecoin')
      expect(await asked('Dogecoin')).toMatchObject({ sendrawtransaction: 1 })
      for (let step = 1; step < 4; step++) {
        chain.setAhead((block * 4 + step) * 600_000)
        expect((await asked('Dogecoin')).sendrawtransaction).toBeUndefined()
      }
    }
    expect(await showItem(api, id)).toMatchObject({
      status: '202 Accepted',
      message: expect.stringMatching(/refuses what would pay more for its transactions \(.*insufficient priority/),
    })
    expect(await selectFailedRecords(env.DB, 'Dogecoin')).toMatchObject([
      { kind: 'refused', id, reason: expect.stringContaining('what would pay more'), tries: 2 },
    ])
    node.reconfigure({ relayFeeRate: CHAINS.Dogecoin.relayFeeRate })
    await chain.mineAndWork('Dogecoin', 7)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
    expect(await selectFailedRecords(env.DB, 'Dogecoin')).toEqual([])
  })
})

describe('two nodes that disagree behind one address', () => {
  it.each([
    { code: -25, message: 'bad-txns-inputs-missingorspent' },
    { code: -26, message: 'txn-mempool-conflict' },
    { code: -26, message: 'too-long-mempool-chain' },
    { code: -26, message: 'min relay fee not met' },
  ])('have the agent wait before it asks again: one gives a coin, the other says $message', async (error) => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address, amount } = await askPayment(api, [id], 'Bitcoin')
    chain.pay('Bitcoin', address, amount)
    chain.mine('Bitcoin', 2)
    const context = contextOf()
    let sent = 0
    const rpc: typeof context.rpc = async (calls) => {
      if (calls[0]?.method !== 'sendrawtransaction') return await context.rpc(calls)
      sent += calls.length
      return calls.map(() => ({ error }))
    }
    const steps: string[] = []
    do steps.push((await runStep({ ...context, numbers: chain.numbersOf('Bitcoin'), rpc, now: Date.now() })).next)
    while (steps.at(-1) === 'now' && steps.length < 20)
    expect(steps.length).toBeLessThan(4)
    for (let step = 0; step < 10; step++)
      await runStep({ ...context, numbers: chain.numbersOf('Bitcoin'), rpc, now: Date.now() })
    expect(sent).toBeLessThan(4)
    chain.setAhead(60_000)
    await chain.mineAndWork('Bitcoin', 4)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
  })
})
