import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { consolidateCoins, planConsolidation } from '../../../../worker/features/transactions/sign/consolidate-coins.ts'
import { sortCoins } from '../../../../worker/features/transactions/sort-coins.ts'
import { assertionStatement } from '../../../../worker/platform/d1/guarded-batch.ts'
import { agent, signAny } from './signing-agent.ts'

const SCRIPT = `0014${'ab'.repeat(20)}`
const TERMS = { feeRate: 1_000n, script: SCRIPT, dust: 546n, largest: false }
const coin = (id: number, value: bigint) => ({
  ...{ txid: id.toString(16).padStart(64, '0'), vout: 0, value, script: SCRIPT },
})

describe('making one coin of many', () => {
  it('takes the smallest first, and gives back all that the fee of its size leaves', () => {
    const coins = [coin(1, 9_000n), coin(2, 1_000n), coin(3, 4_000n)]
    const plan = planConsolidation(coins, 7, TERMS)
    expect(plan).toEqual({
      ...{ txChain: 7, seq: 0, payload: undefined, splits: [], script: SCRIPT },
      spends: [coins[1], coins[2], coins[0]],
      // Three inputs and one output.
      ...{ vsize: 246, fee: 246n, change: 14_000n - 246n },
    })
  })

  it('takes at most a hundred', () => {
    const coins = Array.from({ length: 120 }, (_, index) => coin(index, BigInt(1_000 + index)))
    expect(planConsolidation(coins, 1, TERMS)?.spends).toEqual(coins.slice(0, 100))
    expect(planConsolidation(coins, 1, { ...TERMS, largest: true })?.spends).toEqual(coins.slice(20))
  })

  it('leaves out what is not worth three times the fee of spending it: 69 vbytes', () => {
    const coins = [coin(1, 207n), coin(2, 208n), coin(3, 10_000n)]
    expect(planConsolidation(coins, 1, TERMS)?.spends).toEqual([coins[1], coins[2]])
  })

  it('is not done with a single coin, nor where less is left than the network relays', () => {
    expect(planConsolidation([coin(1, 10_000n)], 1, TERMS)).toBeUndefined()
    const two = (second: bigint) => planConsolidation([coin(1, 300n), coin(2, second)], 1, TERMS)
    expect(two(424n)?.change).toBe(546n)
    expect(two(423n)).toBeUndefined()
  })
})

describe('whether coins are made one', () => {
  let made = 0

  /** A wallet of so many coins, with a note of what it was asked for; its node estimates what is given. */
  function wallet(coins: number, feerate?: string, amount = '0.001') {
    const asked: string[] = []
    const answer = ({ method }: RpcCall): unknown => {
      if (method === 'estimatesmartfee') return { feerate }
      if (method === 'getrawchangeaddress') return 'address'
      if (method === 'validateaddress') return { scriptPubKey: SCRIPT }
      if (method !== 'listunspent') return {}
      return Array.from({ length: coins }, () => {
        return { ...coin(++made, 0n), amount, scriptPubKey: SCRIPT, confirmations: '9', vout: '0' }
      })
    }
    const rpc = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
      asked.push(...calls.map(({ method }) => method))
      return calls[0]?.method.startsWith('sign')
        ? await signAny(calls)
        : calls.map((call) => ({ result: answer(call) }))
    }
    return { context: agent(env, rpc), asked }
  }

  it('is asked of the node from five hundred coins on, and done where it estimates less than five times what is relayed', async () => {
    const [few, dear, cheap] = [wallet(499), wallet(500, '0.00005'), wallet(500, '0.00004999')]
    expect(await consolidateCoins(few.context)).toBeUndefined()
    expect(few.asked).toEqual(['listunspent'])
    expect(await consolidateCoins(dear.context)).toBeUndefined()
    expect(dear.asked).toEqual(['listunspent', 'estimatesmartfee', 'getmempoolinfo', 'getnetworkinfo'])
    expect(await consolidateCoins(cheap.context)).toMatchObject({ coins: 100 })
    expect(cheap.asked.filter((method) => method === 'getrawchangeaddress')).toHaveLength(1)
  })

  it('is not done where the node has no estimate', async () => {
    const unknown = wallet(500)
    expect(await consolidateCoins(unknown.context)).toBeUndefined()
    expect(unknown.asked.at(-1)).toBe('getnetworkinfo')
    // Nor where the rate that is usual without one is below the limit.
    const { config } = unknown.context
    const chains = { ...config.chains, Bitcoin: { ...config.chains.Bitcoin, consolidateBelow: 10n ** 9n } }
    expect(await consolidateCoins({ ...wallet(500).context, config: { ...config, chains } })).toBeUndefined()
  })

  it('is done at once with two, where an operator says so', async () => {
    expect(await consolidateCoins(wallet(1).context, { atOnce: true })).toBeUndefined()
    expect(await consolidateCoins(wallet(2).context, { atOnce: true })).toMatchObject({ coins: 2 })
  })

  it('is not done where what is to be written with it is refused, nor said to be done', async () => {
    const log = vi.spyOn(console, 'info').mockImplementation(() => {})
    const record = () => [assertionStatement(env.DB, '0')]
    expect(await consolidateCoins(wallet(2).context, { atOnce: true, record })).toBeUndefined()
    expect(log.mock.calls.flat()).not.toContain('coins_gathered')
    log.mockRestore()
  })

  it('is not done where the coins are not worth their fee: nothing is signed', async () => {
    const poor = wallet(2, '0.001', '0.00001')
    expect(await consolidateCoins(poor.context, { atOnce: true })).toBeUndefined()
    expect(poor.asked.filter((method) => method.startsWith('sign'))).toEqual([])
  })
})

it('coins stand by value, those of one value by txid, whatever their order was', () => {
  const coins = [coin(3, 5n), coin(1, 5n), coin(2, 5n), coin(9, 10n ** 30n), coin(8, 1n)]
  const sorted = [coins[4], coins[1], coins[2], coins[0], coins[3]]
  expect(sortCoins(coins)).toEqual(sorted)
  expect(sortCoins(coins.toReversed())).toEqual(sorted)
})
