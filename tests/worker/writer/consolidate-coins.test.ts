import { describe, expect, it } from 'vitest'
import { planConsolidation } from '../../../worker/writer/consolidate-coins.ts'
import { sortCoins } from '../../../worker/writer/sort-coins.ts'

const SCRIPT = `0014${'ab'.repeat(20)}`
const TERMS = { feeRate: 1_000n, script: SCRIPT, dust: 546n }
const coin = (id: number, value: bigint) => ({
  ...{ txid: id.toString(16).padStart(64, '0'), vout: 0, value, script: SCRIPT },
})

describe('making one coin of many', () => {
  it('takes the smallest first, and gives back all that the fee of its size leaves', () => {
    const coins = [coin(1, 9_000n), coin(2, 1_000n), coin(3, 4_000n)]
    const plan = planConsolidation(coins, 7, TERMS)
    expect(plan).toEqual({
      ...{ lane: 7, seq: 0, payload: undefined, splits: [], script: SCRIPT },
      spends: [coins[1], coins[2], coins[0]],
      // Three inputs and one output.
      ...{ vsize: 246, fee: 246n, change: 14_000n - 246n },
    })
  })

  it('takes at most a hundred', () => {
    const coins = Array.from({ length: 120 }, (_, index) => coin(index, BigInt(1_000 + index)))
    expect(planConsolidation(coins, 1, TERMS)?.spends).toEqual(coins.slice(0, 100))
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

it('coins stand by value, those of one value by txid, whatever their order was', () => {
  const coins = [coin(3, 5n), coin(1, 5n), coin(2, 5n), coin(9, 10n ** 30n), coin(8, 1n)]
  const sorted = [coins[4], coins[1], coins[2], coins[0], coins[3]]
  expect(sortCoins(coins)).toEqual(sorted)
  expect(sortCoins(coins.toReversed())).toEqual(sorted)
})
