import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { describeTarget } from '../../../../worker/features/payments/describe-target.ts'
import { recentFeeRate } from '../../../../worker/features/payments/recent-fee-rate.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'

const NOW = 1_800_000_000_000

/** A node without an opinion on fees, and how many calls each request to it had. */
function countingNode() {
  const asked: number[] = []
  const rpc: Parameters<typeof recentFeeRate>[0] = async (calls) => {
    asked.push(calls.length)
    return calls.map(() => ({ result: {} }))
  }
  return { rpc, asked }
}

describe('what anybody may ask', () => {
  it('has a node asked for its fee rate as a request would be quoted, and again after five seconds', async () => {
    const { rpc, asked } = countingNode()
    const rate = async (now: number) => (await recentFeeRate(rpc, 'Bitcoin', now)).readAt - NOW
    expect([await rate(NOW), await rate(NOW + 4_999), await rate(NOW + 5_000)]).toEqual([0, 0, 5_000])
    // A clock that went back by more is no reason to answer of what is to come.
    expect([await rate(NOW + 1), await rate(NOW)]).toEqual([5_000, 0])
    // Of soon and of later, of the mempool and of the network.
    expect(asked).toEqual([4, 4, 4])
    await recentFeeRate(rpc, 'Dogecoin', NOW)
    expect(asked).toHaveLength(4)
  })

  it('has it looked after ten seconds again whether something can be stored, also where nothing changed', async () => {
    let looks = 0
    const rpcOf = () => {
      looks++
      return undefined
    }
    const reasonAt = async (now: number) => {
      const { reason } = await describeTarget({ db: env.DB, config: readConfig(env), rpcOf, now }, 'Dogecoin')
      expect(reason).toBe('This service has no node of Dogecoin.')
      return looks
    }
    expect([await reasonAt(NOW), await reasonAt(NOW + 9_999)]).toEqual([1, 1])
    expect([await reasonAt(NOW + 10_000), await reasonAt(NOW + 19_999), await reasonAt(NOW + 20_000)]).toEqual([
      2, 2, 3,
    ])
  })
})
